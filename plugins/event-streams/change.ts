import { withTimeout } from 'wamux/plugin'

/** A latch: remembers a change since the last wait, and lets a reader wait for one. */
interface Change {
  readonly isSet: boolean
  set(): void
  clear(): void
  /** Resolves when it is set, after `ms`, or when `signal` aborts; at once if it is set already. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

export function createChange(): Change {
  let isSet = false
  let wake = (): void => undefined
  return {
    get isSet() {
      return isSet
    },
    set() {
      isSet = true
      wake()
    },
    clear() {
      isSet = false
    },
    async wait(ms, signal) {
      if (isSet || signal.aborted) return
      const changed = new Promise<void>((resolve) => {
        wake = resolve
      })
      signal.addEventListener('abort', wake)
      await withTimeout(changed, ms, () => undefined)
      signal.removeEventListener('abort', wake)
    },
  }
}
