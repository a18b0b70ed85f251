import { gatewayError, reasonOf } from '../errors.ts'
import type { Log } from '../types/driver.ts'
import type { Contribution } from '../types/plugin.ts'
import { byRank, type Running } from './lifecycle.ts'

export type Contributions = ReadonlyMap<string, readonly Contribution[]>

/** Contributions of the running plugins, by contract. Throws PLUGIN_FAILED; a failure of an optional plugin is logged. */
export function collectContributions(running: readonly Running[], log: Log): Contributions {
  const collected = new Map<string, Contribution[]>()
  for (const { entry, container } of byRank(running)) {
    for (const [contract, make] of container ? Object.entries(entry.plugin.spec.contributes ?? {}) : []) {
      try {
        const value = (make as (deps: unknown) => never)(container?.cradle)
        collected.set(contract, [...(collected.get(contract) ?? []), { plugin: entry.name, value }])
      } catch (cause) {
        const step = `its contribution to "${contract}"`
        const fault = gatewayError('PLUGIN_FAILED', [entry.name, step, reasonOf(cause)], { cause })
        if (!entry.optional) throw fault
        log.error({ plugin: entry.name, err: fault }, 'contribution left out')
      }
    }
  }
  return collected
}
