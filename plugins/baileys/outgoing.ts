import './before.ts'
import { BufferJSON, type MessageRelayOptions, proto } from '@whiskeysockets/baileys'
import type { GatewayError, PluginDb, Row, Write } from 'wamux/plugin'
import type { Codec } from './codec.ts'
import type { Built } from './content.ts'
import { keep } from './refusal.ts'
import type { Outcome } from './types.ts'

export type OutgoingState = 'sending' | 'acked' | 'failed' | 'unknown'

export interface OutgoingRow {
  id: string
  chat: string
  fingerprint: string
  state: OutgoingState
  timestamp: string
  /** Why it failed, as `keep` wrote it. */
  error: string
  created: number
  body: Buffer
  extras: string
}

/** What a session sends, kept from before the encryption until retention: for repeated ids, retries and crashes. */
export interface Outgoing {
  find(id: string): Promise<OutgoingRow | undefined>
  outcome(id: string): Promise<Outcome | undefined>
  /** Commits the row that must be there before the ratchet moves. */
  begin(built: Built, fingerprint: string): Promise<OutgoingRow>
  acked(row: OutgoingRow, timestamp: string): Write
  ended(row: OutgoingRow, state: 'failed' | 'unknown', error: GatewayError): Write
  /** Commits that an ended one is under way again. */
  again(row: OutgoingRow): Promise<void>
  /** Cut off by a stop or a lost link, in their order. */
  unfinished(): Promise<OutgoingRow[]>
  rebuild(row: OutgoingRow): Built
  messageOf(row: OutgoingRow): proto.IMessage
  prune(before: number): Promise<void>
}

const KEY = ['session', 'id'] as const
const OUTCOMES = { sending: 'Pending', unknown: 'Pending', acked: 'Sent', failed: 'Error' } as const

export function createOutgoing(db: PluginDb, codec: Codec, session: string): Outgoing {
  const table = db.table('outgoing')
  let last = 0
  /** Rows of one millisecond keep their order, too. */
  const now = (): number => {
    last = Math.max(Date.now(), last + 1)
    return last
  }
  const messageOf = (row: OutgoingRow): proto.IMessage =>
    proto.Message.decode(codec.open(`outgoing/${row.id}`, row.body) as Buffer)

  return {
    async find(id) {
      const row = await db.read<Row>(table).where({ session, id }).first()
      return row && toRow(row)
    },
    async outcome(id) {
      const row = await db.read<Row>(table).where({ session, id }).first()
      if (!row) return undefined
      const { state, chat, timestamp } = toRow(row)
      const time = timestamp || new Date(Number(row['created'])).toISOString()
      return { chat, status: OUTCOMES[state], time }
    },
    async begin({ id, chat, message, relay }, fingerprint) {
      const body = codec.seal(`outgoing/${id}`, Buffer.from(proto.Message.encode(message).finish()))
      const row = {
        id,
        chat,
        fingerprint,
        state: 'sending' as const,
        timestamp: '',
        error: '',
        created: now(),
        body,
        extras: JSON.stringify(relay, BufferJSON.replacer),
      }
      await db.write([db.put('outgoing', KEY, [{ session, ...row }])])
      return row
    },
    acked: ({ id }, timestamp) =>
      db.update('outgoing', KEY, [{ session, id, state: 'acked', error: '', timestamp }]),
    ended: ({ id }, state, error) => db.update('outgoing', KEY, [{ session, id, state, error: keep(error) }]),
    async again({ id }) {
      const change = { session, id, state: 'sending', error: '', created: now() }
      await db.write([db.update('outgoing', KEY, [change])])
    },
    async unfinished() {
      const rows = await db.read<Row>(table).where({ session, state: 'sending' }).orderBy('created')
      return rows.map(toRow)
    },
    rebuild: (row) => ({
      id: row.id,
      chat: row.chat,
      message: messageOf(row),
      relay: JSON.parse(row.extras, BufferJSON.reviver) as MessageRelayOptions,
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
    error: text('error'),
    created: Number(row['created']),
    body: row['body'] as Buffer,
    extras: text('extras'),
  }
}
