import type { PluginDb, Row } from 'wamux/plugin'

/** When each session last sent or received a message: read once, then kept up to date by its messages. */
export interface Activity {
  /** Milliseconds since 1970; 0 for none. */
  lastMessages(sessions: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** @param seconds since 1970 */
  note(session: string, seconds: number): void
  /** Says that another process may have served the session meanwhile. */
  forget(session: string): void
}

/** Parameters of one query, on either database. */
const AT_ONCE = 500

export function createActivity({ db }: { db: PluginDb }): Activity {
  /** Milliseconds since 1970; 0 for none. */
  const known = new Map<string, number>()

  async function read(sessions: readonly string[]): Promise<void> {
    const rows = await db
      .read<Row>(db.table('last'))
      .whereIn('session', [...sessions])
      .groupBy('session')
      .select('session')
      .max({ time: 'time' })
    const found = new Map(rows.map(({ session, time }) => [String(session), Number(time) * 1000]))
    // A message may have been noted meanwhile.
    for (const session of sessions) raise(session, found.get(session) ?? 0)
  }

  function raise(session: string, time: number): void {
    known.set(session, Math.max(known.get(session) ?? 0, time))
  }

  return {
    // A session that was not read yet is read whole.
    note(session, seconds) {
      if (known.has(session)) raise(session, seconds * 1000)
    },
    forget: (session) => void known.delete(session),
    async lastMessages(sessions) {
      const unread = sessions.filter((session) => !known.has(session))
      for (let at = 0; at < unread.length; at += AT_ONCE) await read(unread.slice(at, at + AT_ONCE))
      return new Map(sessions.map((session) => [session, known.get(session) ?? 0]))
    },
  }
}
