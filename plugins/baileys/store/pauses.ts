import type { CloseReason, PluginDb, Row } from 'wamux/plugin'

/** A period in which a session must not log in. */
export interface Pause {
  readonly reason: CloseReason
  readonly detail: string
  readonly code: string
  /** Its end, milliseconds since 1970. */
  readonly until: number
}

/** The pauses that WhatsApp has imposed on sessions; they survive restarts. */
export interface Pauses {
  /** The current pause of the session. */
  of(session: string): Promise<Pause | undefined>
  add(session: string, pause: Pause): Promise<void>
}

export function createPauses(db: PluginDb): Pauses {
  return {
    async of(session) {
      const row = await db.read<Row>(db.table('pauses')).where({ session }).first()
      const until = Number(row?.['until'] ?? 0)
      if (!row || until <= Date.now()) return undefined
      const reason = String(row['reason']) as CloseReason
      return { reason, detail: String(row['detail']), code: String(row['code']), until }
    },
    add: (session, pause) => db.write([db.put('pauses', ['session'], [{ session, ...pause }])]),
  }
}
