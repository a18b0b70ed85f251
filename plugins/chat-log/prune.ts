import { createInterval, type Interval, type Kernel } from 'wamux/plugin'

type Deps = Pick<Kernel<unknown>, 'db' | 'events' | 'log' | 'sessions'>

const HOUR_MS = 3_600_000

/** Deletes the rows of log lines dropped by retention, at start and every hour. */
export function createPruning({ db, events, log, sessions }: Deps): Interval {
  async function prune(): Promise<void> {
    for (const { id: session } of await sessions.list()) {
      const { dropped } = await events.bounds(session)
      if (dropped === 0) continue
      await db.prune('messages', (query) => query.where({ session }).where('seq', '<=', dropped))
      await db.prune('shared', (query) => query.where({ session }).where('seq', '<=', dropped))
      await db.prune('chats', (query) => query.where({ session }).where('last_seq', '<=', dropped))
    }
  }
  return createInterval(HOUR_MS, prune, (error) => log.error({ err: error }, 'pruning of chats failed'))
}
