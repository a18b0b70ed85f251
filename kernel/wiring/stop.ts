import { withTimeout } from '../async/time-out.ts'
import { reasonOf } from '../errors.ts'
import type { Log } from '../types/driver.ts'

/** A part of the gateway, the function that stops it, and a description of what it still waits for. */
export type Stop = readonly [name: string, stop: () => Promise<void>, waitsFor?: () => readonly string[]]

/** A supervisor may soon kill the process: before that, the log must say what takes so long. */
const SLOW_MS = 2_000

/**
 * Stops parts one after the other. A failure is logged, and the rest is still stopped.
 *
 * @returns rejects with the first failure, after all parts.
 */
export async function stopAll(stops: readonly Stop[], log: Log, slowMs = SLOW_MS): Promise<void> {
  const failures: unknown[] = []

  async function stopOne([part, stop, waitsFor]: Stop): Promise<void> {
    const stopped = stop().then(() => true)
    for (let ms = slowMs; !(await withTimeout(stopped, slowMs, () => false)); ms += slowMs)
      log.warn({ part, seconds: ms / 1000, waitsFor: waitsFor?.() }, 'gateway part is still stopping')
  }

  for (const one of stops) {
    await stopOne(one).catch((error: unknown) => {
      failures.push(error)
      log.error({ part: one[0], reason: reasonOf(error) }, 'gateway part failed to stop')
    })
  }
  if (failures.length > 0) throw failures[0]
}
