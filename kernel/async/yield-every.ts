import { setImmediate } from 'node:timers/promises'

/**
 * For long loops, which would hold up everything else in the process: the returned function waits for one turn of the event loop
 * once the loop has run for `ms` milliseconds.
 */
export function yieldEvery(ms: number): () => Promise<void> {
  let last = performance.now()
  return async () => {
    if (performance.now() - last < ms) return
    await setImmediate()
    last = performance.now()
  }
}
