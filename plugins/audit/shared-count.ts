import type { PluginDb } from 'wamux/plugin'
import { networkOf, type TokenKind, WINDOW_MS } from './wrong-tokens.ts'

/** Wrong tokens by source address, counted over all processes that share the database, in its time. */
export interface SharedCount {
  /** Counts a wrong token; resolves with their number in the current window. */
  add(kind: TokenKind, address: string): Promise<number>
  prune(): Promise<unknown>
}

const ADD = `
  INSERT INTO ?? AS t (kind, network, failed, until) VALUES (?, ?, 1, ?)
  ON CONFLICT (kind, network) DO UPDATE SET
    failed = CASE WHEN t.until < ? THEN 1 ELSE t.failed + 1 END,
    until = CASE WHEN t.until < ? THEN excluded.until ELSE t.until END
  RETURNING failed`

export function createSharedCount({ db }: { db: PluginDb }): SharedCount {
  const table = db.table('wrong_tokens')
  return {
    async add(kind, address) {
      const now = db.now()
      const values = [table, kind, networkOf(address), now + WINDOW_MS, now, now]
      const { rows } = await db.transact((trx) => trx.raw(ADD, values))
      return Number(rows[0].failed)
    },
    prune: () => db.prune('wrong_tokens', (query) => query.where('until', '<', db.now())),
  }
}
