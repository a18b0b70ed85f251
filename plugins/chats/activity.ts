import { LRUCache } from 'lru-cache'
import type { PluginDb, Row } from 'wamux/plugin'

/** When each session last sent or received a message: read once, then kept up to date by its messages. */
export interface ChatActivity {
  /** Milliseconds since 1970; 0 for none. */
  lastMessages(sessions: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** @param seconds since 1970 */
  note(session: string, seconds: number): void
  /** Says that another process may have served the session meanwhile. */
  forget(session: string): void
}

/** Parameters of one query, on either database. */
const AT_ONCE = 500
/** More than a process serves: sessions that were deleted, or that others serve now, leave. */
const MAX_SESSIONS = 20_000

export function createActivity({ db }: { db: PluginDb }): ChatActivity {
  /** Milliseconds since 1970; 0 for none. */
  const known = new LRUCache<string, number>({ max: MAX_SESSIONS })

  async function read(sessions: readonly string[]): Promise<[session: string, time: number][]> {
    const rows = await db
      .read<Row>(db.table('last'))
      .whereIn('session', [...sessions])
      .groupBy('session')
      .select('session')
      .max({ time: 'time' })
    const found = new Map(rows.map(({ session, time }) => [String(session), Number(time) * 1000]))
    // A message may have been noted meanwhile.
    return sessions.map((session) => [session, raise(session, found.get(session) ?? 0)])
  }

  function raise(session: string, time: number): number {
    const newest = Math.max(known.get(session) ?? 0, time)
    known.set(session, newest)
    return newest
  }

  return {
    // A session that was not read yet is read whole.
    note(session, seconds) {
      if (known.has(session)) raise(session, seconds * 1000)
    },
    forget: (session) => void known.delete(session),
    async lastMessages(sessions) {
      const times = new Map(sessions.map((session) => [session, known.get(session)]))
      const unread = sessions.filter((session) => times.get(session) === undefined)
      for (let at = 0; at < unread.length; at += AT_ONCE)
        for (const [session, time] of await read(unread.slice(at, at + AT_ONCE))) times.set(session, time)
      return new Map(sessions.map((session) => [session, times.get(session) ?? 0]))
    },
  }
}
