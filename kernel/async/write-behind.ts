import type { Backoff } from './backoff.ts'
import { coalesce } from './coalesce.ts'

/**
 * Collects values by key and writes them later, many in one write and never two writes at once. Values of a failed write are
 * part of the next one.
 */
export interface WriteBehind<T> {
  /** Merged with a value already pending under the same key. */
  add(key: string, value: T): void
  /** The value pending or being written under the key. */
  pending(key: string): T | undefined
  readonly size: number
  /** Writes everything added before the call; rejects if that fails, and the values stay pending. */
  flush(): Promise<void>
  /** Writes the pending values if the storage allows it, and nothing afterwards. */
  close(): Promise<void>
}

export interface WriteBehindOptions<T> {
  /** @param isDeferred false where a caller waits for it. */
  write(values: ReadonlyMap<string, T>, isDeferred: boolean): Promise<void>
  /** Combines two values under one key, older first; by default the newer one wins. */
  merge?(older: T, newer: T): T
  onError(error: unknown): void
  /** Milliseconds between the first value and its write; default 0, at once. */
  delayMs?: number
  /** Milliseconds between a failed write and the next one. */
  retry: Backoff
}

export function writeBehind<T>(options: WriteBehindOptions<T>): WriteBehind<T> {
  const { write, merge = (_older, newer) => newer, onError, delayMs = 0, retry } = options
  let waiting = new Map<string, T>()
  let underWay: ReadonlyMap<string, T> = new Map()
  /** Waiting callers of `flush`. */
  let flushing = 0

  const writing = coalesce(
    async () => {
      if (waiting.size === 0) return
      underWay = waiting
      waiting = new Map()
      try {
        await write(underWay, flushing === 0)
      } catch (error) {
        const newer = waiting
        waiting = new Map(underWay)
        for (const [key, value] of newer) put(key, value)
        throw error
      } finally {
        underWay = new Map()
      }
    },
    { onError, retry },
  )

  function put(key: string, value: T): void {
    const older = waiting.get(key)
    waiting.set(key, older === undefined ? value : merge(older, value))
  }

  async function flush(): Promise<void> {
    if (waiting.size === 0 && underWay.size === 0) return
    flushing += 1
    await writing.run().finally(() => {
      flushing -= 1
    })
  }

  return {
    add(key, value) {
      const isFirst = waiting.size === 0
      put(key, value)
      if (delayMs === 0) writing.request()
      else if (isFirst) writing.requestAt(Date.now() + delayMs)
    },
    pending: (key) => waiting.get(key) ?? underWay.get(key),
    get size() {
      return waiting.size + underWay.size
    },
    flush,
    async close() {
      await flush().catch(() => undefined)
      await writing.stop()
    },
  }
}
