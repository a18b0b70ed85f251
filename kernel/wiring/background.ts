import { reasonOf } from '../errors.ts'
import type { Log } from '../types/driver.ts'

/** Owns promises that are not awaited elsewhere: a failure is logged, and stopping waits for them. */
export interface AsyncWork {
  own(work: Promise<unknown>, what: string): void
  settled(): Promise<void>
}

export function asyncWork(log: Log): AsyncWork {
  const open = new Set<Promise<unknown>>()
  return {
    own(work, what) {
      const watched = work
        .catch((error: unknown) => log.error({ what, reason: reasonOf(error) }, 'background work failed'))
        .finally(() => open.delete(watched))
      open.add(watched)
    },
    async settled() {
      while (open.size > 0) await Promise.all(open)
    },
  }
}
