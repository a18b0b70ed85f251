import { reasonOf } from '../errors.ts'
import type { Log } from '../types/driver.ts'

/** Owns promises that are not awaited elsewhere: a failure is logged, and stopping waits for them. */
export interface AsyncWork {
  own(work: Promise<unknown>, what: string): void
  settled(): Promise<void>
  /** Work still running. */
  pending(): string[]
}

export function asyncWork(log: Log): AsyncWork {
  const open = new Map<Promise<unknown>, string>()
  return {
    own(work, what) {
      const watched = work
        .catch((error: unknown) => log.error({ what, reason: reasonOf(error) }, 'background work failed'))
        .finally(() => open.delete(watched))
      open.set(watched, what)
    },
    async settled() {
      while (open.size > 0) await Promise.all(open.keys())
    },
    pending: () => [...open.values()],
  }
}
