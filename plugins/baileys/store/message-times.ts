import type { PluginDb, Row, Vault } from 'wamux/plugin'
import type { MessageTimes } from '../protocol/message-times.ts'
import { keptRefusal } from '../protocol/refusal.ts'
import { createCodec } from './codec.ts'
import { createOutgoing } from './outgoing.ts'

export function createMessageTimes({ db, vault }: { db: PluginDb; vault: Vault }): MessageTimes {
  return {
    async sent(session, id) {
      const row = await createOutgoing(db, createCodec(vault, session), session).find(id)
      if (!row) return undefined
      const { chat, state, created, written, ended, timestamp, error } = row
      const reason = error ? (keptRefusal(error)?.message ?? '') : ''
      return { chat, state, accepted: created, written, ended, acked: timestamp, error: reason }
    },
    async received(session, id) {
      const row = await db
        .read<Row>(db.table('inbox'))
        .where({ session, message: id })
        .min({ received: 'received' })
        .first()
      return row?.['received'] ? Number(row['received']) : undefined
    },
  }
}
