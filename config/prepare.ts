import { type Listed, type Prepared, prepare } from '../kernel/wiring/prepare.ts'
import { bodyChecks } from './bodies/check.ts'

/** Checks plugins as the start does (kernel/wiring/prepare.ts), with the checks of bodies that gateways of this package make. */
export function preparePlugins(listed: readonly Listed[]): Prepared[] {
  return prepare(listed, bodyChecks)
}
