import type { PluginDb, Row } from 'wamux/plugin'
import { UNSENT } from './predicates.ts'

/** The messages being sent, over all sessions. */
export interface Outboxes {
  /** Number of messages that are neither acknowledged nor refused, by session; sessions without any are absent. */
  depths(sessions: readonly string[]): Promise<ReadonlyMap<string, number>>
}

/** Maximum number of parameters in a statement. */
const PART = 500

export function createOutboxes({ db }: { db: PluginDb }): Outboxes {
  return {
    async depths(sessions) {
      const found = new Map<string, number>()
      for (let at = 0; at < sessions.length; at += PART) {
        const rows: Row[] = await db
          .read(db.table('outgoing'))
          .whereIn('session', sessions.slice(at, at + PART))
          .where({ state: 'sending' })
          .whereRaw(UNSENT)
          .groupBy('session')
          .select('session')
          .count({ count: '*' })
        for (const { session, count } of rows) found.set(String(session), Number(count))
      }
      return found
    },
  }
}
