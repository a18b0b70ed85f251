import { reasonOf } from '../errors.ts'
import type { Log } from '../types/driver.ts'

/** A part of the gateway, and what ends it. */
export type Stop = readonly [name: string, stop: () => Promise<void>]

/**
 * Stops parts one after the other. One that fails is logged and does not keep the rest from being stopped.
 *
 * @returns rejects with the first failure, after all.
 */
export async function stopAll(stops: readonly Stop[], log: Log): Promise<void> {
  const failures: unknown[] = []
  for (const [part, stop] of stops) {
    await stop().catch((error: unknown) => {
      failures.push(error)
      log.error({ part, reason: reasonOf(error) }, 'a part of the gateway failed to stop')
    })
  }
  if (failures.length > 0) throw failures[0]
}
