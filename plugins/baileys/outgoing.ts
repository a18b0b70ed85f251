import './before.ts'
import { type MessageRelayOptions, proto } from '@whiskeysockets/baileys'
import type { PluginDb, Row, Write } from 'wamux/plugin'
import { open, seal } from './codec.ts'
import type { Built } from './content.ts'

export type OutgoingState = 'sending' | 'acked' | 'failed' | 'unknown'

export interface OutgoingRow {
  id: string
  chat: string
  fingerprint: string
  state: OutgoingState
  timestamp: string
  body: Buffer
  extras: string
}

/** What a session sends, kept from before the encryption until retention: for repeated ids, retries and crashes. */
export interface Outgoing {
  find(id: string): Promise<OutgoingRow | undefined>
  /** Commits the row that must be there before the ratchet moves. */
  begin(built: Built, fingerprint: string): Promise<OutgoingRow>
  acked(row: OutgoingRow, timestamp: string): Write
  end(row: OutgoingRow, state: OutgoingState, error: string): Promise<void>
  /** Cut off by a stop, young enough to send again. Older ones become unknown. */
  unfinished(maxAgeMs: number): Promise<OutgoingRow[]>
  rebuild(row: OutgoingRow): Built
  messageOf(row: OutgoingRow): proto.IMessage
  prune(before: number): Promise<void>
}

const KEY = ['session', 'id'] as const

export function createOutgoing(db: PluginDb, session: string): Outgoing {
  const table = db.table('outgoing')
  const messageOf = (row: OutgoingRow): proto.IMessage => proto.Message.decode(open(row.body) as Buffer)

  return {
    async find(id) {
      const row = await db.read<Row>(table).where({ session, id }).first()
      return row && toRow(row)
    },
    async begin({ id, chat, message, relay }, fingerprint) {
      const body = seal(Buffer.from(proto.Message.encode(message).finish()))
      const row = {
        id,
        chat,
        fingerprint,
        state: 'sending' as const,
        timestamp: '',
        body,
        extras: JSON.stringify(relay),
      }
      await db.write([db.put('outgoing', KEY, [{ session, ...row, error: '', created: Date.now() }])])
      return row
    },
    acked: ({ id }, timestamp) =>
      db.update('outgoing', KEY, [{ session, id, state: 'acked', error: '', timestamp }]),
    async end({ id }, state, error) {
      await db.write([db.update('outgoing', KEY, [{ session, id, state, error }])])
    },
    async unfinished(maxAgeMs) {
      const since = Date.now() - maxAgeMs
      await db.transact((trx) =>
        trx(table)
          .where({ session, state: 'sending' })
          .where('created', '<', since)
          .update({ state: 'unknown', error: 'the gateway stopped' }),
      )
      const rows = await db.read<Row>(table).where({ session, state: 'sending' }).orderBy('created')
      return rows.map(toRow)
    },
    rebuild: (row) => ({
      id: row.id,
      chat: row.chat,
      message: messageOf(row),
      relay: JSON.parse(row.extras) as MessageRelayOptions,
    }),
    messageOf,
    async prune(before) {
      await db.transact((trx) => trx(table).where({ session }).where('created', '<', before).del())
    },
  }
}

function toRow(row: Row): OutgoingRow {
  const text = (column: string): string => String(row[column])
  return {
    id: text('id'),
    chat: text('chat'),
    fingerprint: text('fingerprint'),
    state: text('state') as OutgoingState,
    timestamp: text('timestamp'),
    body: row['body'] as Buffer,
    extras: text('extras'),
  }
}
