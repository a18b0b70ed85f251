import { reasonOf } from '../errors.ts'
import type { Log } from '../types/driver.ts'

/** A part of the gateway, and the function that stops it. */
export type Stop = readonly [name: string, stop: () => Promise<void>]

/**
 * Stops parts one after the other. A failure is logged, and the rest are still stopped.
 *
 * @returns rejects with the first failure, after all parts.
 */
export async function stopAll(stops: readonly Stop[], log: Log): Promise<void> {
  const failures: unknown[] = []
  for (const [part, stop] of stops) {
    await stop().catch((error: unknown) => {
      failures.push(error)
      log.error({ part, reason: reasonOf(error) }, 'gateway part failed to stop')
    })
  }
  if (failures.length > 0) throw failures[0]
}
