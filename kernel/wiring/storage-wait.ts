import { setTimeout as pause } from 'node:timers/promises'
import { type Backoff, backoff } from '../async/backoff.ts'
import { gatewayError, isGatewayError, reasonOf, type StorageError, storageErrorIn } from '../errors.ts'
import type { Log } from '../types/driver.ts'

export interface WaitOptions {
  log: Log
  seconds?: number | undefined
  /** Aborted when the gateway is stopped meanwhile, which rejects STOPPING. */
  signal: AbortSignal
}

const WAIT_SECONDS = 30
const PAUSES: Backoff = { first: 250, most: 2_000 }

/**
 * Repeats a start while the database does not answer, because it may also be starting or briefly unreachable. Rejects
 * START_FAILED after too long, and at once with any other error: waiting does not help against a full disk.
 */
export async function waitForStorage<T>(
  start: () => Promise<T>,
  { log, seconds = WAIT_SECONDS, signal }: WaitOptions,
): Promise<T> {
  const until = performance.now() + seconds * 1000
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await start()
    } catch (error) {
      const failure = storageErrorIn(error)
      if (!failure || failure.code === 'STORAGE_FAILED') throw error
      const reason = wordsOf(error, failure)
      const leftMs = until - performance.now()
      if (leftMs <= 0)
        throw gatewayError('START_FAILED', [`- the database did not answer within ${seconds} s: ${reason}`], {
          cause: error,
        })
      const secondsLeft = Math.ceil(leftMs / 1000)
      log.warn({ reason, secondsLeft }, 'the database does not answer; the start waits for it')
      const ms = Math.min(backoff(PAUSES, attempt), leftMs)
      await pause(ms, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) throw gatewayError('STOPPING')
    }
  }
}

/** The engine's own message, which names the database, or else the driver's. */
function wordsOf(error: unknown, failure: StorageError): string {
  if (isGatewayError(error) && error !== failure) return error.message
  return reasonOf(failure.cause ?? failure)
}
