import { withTimeout } from '../async/time-out.ts'
import { gatewayError } from '../errors.ts'

/** Rejects PLUGIN_TIMEOUT if a plugin's step takes longer; the step itself is not cancelled. */
export function within<T>(
  work: Promise<T>,
  seconds: number,
  [name, step]: [name: string, step: string],
): Promise<T> {
  return withTimeout(work, seconds * 1000, () => {
    throw gatewayError('PLUGIN_TIMEOUT', [name, step, seconds])
  })
}
