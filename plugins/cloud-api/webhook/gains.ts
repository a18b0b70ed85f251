import { createInterval, type Ownership } from 'wamux/plugin'

/** The sessions that this process has gained, and whose stored state it has not read yet. */
export interface Gains {
  isPending(session: string): boolean
  /** Resolves once the state is read; rejects where that failed, until it is read again. */
  ready(session: string): Promise<void>
  start(): void
  stop(): Promise<void>
}

interface Parts {
  ownership: Ownership
  /** Reads the state of a session that was gained. */
  open(session: string): Promise<void>
  /** Drops the state of a session; resolves when the work under way for it has ended. */
  close(session: string): Promise<void>
  failed(error: unknown): void
}

const RETRY_MS = 5_000

export function createGains({ ownership, open, close, failed }: Parts): Gains {
  const pending = new Map<string, Promise<void>>()
  const unread = new Set<string>()
  const repeating = createInterval(RETRY_MS, beginAgain, failed)
  let stopWatching = (): void => undefined

  function begin(session: string): void {
    unread.delete(session)
    const reading = open(session)
    pending.set(session, reading)
    reading.then(
      () => {
        if (pending.get(session) === reading) pending.delete(session)
      },
      (error: unknown) => {
        failed(error)
        if (pending.get(session) === reading) unread.add(session)
      },
    )
  }

  function beginAgain(): void {
    for (const session of [...unread]) begin(session)
  }

  return {
    isPending: (session) => pending.has(session),
    ready: async (session) => pending.get(session),
    start() {
      stopWatching = ownership.watch((session, isOwned) => {
        pending.delete(session)
        unread.delete(session)
        const closed = close(session)
        if (!isOwned) return closed
        // Called in the same turn as those who ask `isPending`.
        begin(session)
        return undefined
      })
      repeating.start()
    },
    async stop() {
      stopWatching()
      await repeating.stop()
    },
  }
}
