/** An event that one loop waits for and others set; a `set` while the loop is busy is not lost. */
export interface AutoResetEvent {
  set(): void
  /** Resolves once the event is set, or after `ms` when given, and resets it. */
  wait(ms?: number): Promise<void>
}

export function createAutoResetEvent(): AutoResetEvent {
  let isSet = false
  let release: (() => void) | undefined
  return {
    set() {
      isSet = true
      release?.()
    },
    async wait(ms) {
      let timer: NodeJS.Timeout | undefined
      if (!isSet) {
        await new Promise<void>((resolve) => {
          release = resolve
          if (ms !== undefined) timer = setTimeout(resolve, ms)
        })
      }
      clearTimeout(timer)
      release = undefined
      isSet = false
    },
  }
}
