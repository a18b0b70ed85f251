import type { MessageRelayOptions } from '@whiskeysockets/baileys'
import { type GatewayError, gatewayError, type PluginDb, type Row, type Write } from 'wamux/plugin'
import { proto } from '../baileys.ts'
import { trusted } from '../patches/bounds.ts'
import { type Built, encode } from '../protocol/built.ts'
import { keep } from '../protocol/refusal.ts'
import type { Outcome } from '../sdk.ts'
import type { Codec } from './codec.ts'
import { UNSENT, UNSETTLED } from './predicates.ts'

/** `queued`: stored by a process that does not serve the session, not yet seen by the one that does. */
export type OutgoingState = 'queued' | 'sending' | 'acked' | 'failed' | 'unknown'

/** Sealed like the message, because it names the recipient. */
interface Envelope {
  chat: string
  /** Hash of the request, to detect a different request with the same id. */
  fingerprint: string
  relay: MessageRelayOptions
  traceparent?: string | undefined
  annotations?: Readonly<Record<string, unknown>> | undefined
}

/** The part of the request that a row keeps. */
type Request = Pick<Envelope, 'fingerprint' | 'traceparent' | 'annotations'>

export interface OutgoingRow extends Envelope {
  id: string
  state: OutgoingState
  timestamp: string
  /** Why it failed, as written by `keep`. */
  error: string
  created: number
  /** When its frame was handed to the connection, milliseconds since 1970; 0 before. */
  written: number
  /** When its outcome was known, milliseconds since 1970; 0 before. */
  ended: number
  /** Evidence that this message makes the network close links (send/suspects.ts). */
  breaks: number
  /** Still sealed. */
  body: Buffer
}

/**
 * A session's sent messages, stored before they are encrypted and kept until retention: for repeated ids, retries and
 * crashes.
 */
export interface Outgoing {
  find(id: string): Promise<OutgoingRow | undefined>
  outcome(id: string): Promise<Outcome | undefined>
  /** Queues the row, which must be stored when the ratchet moves: writes are committed in order. */
  begin(built: Built, encoded: Uint8Array, request: Request): { row: OutgoingRow; stored: Promise<unknown> }
  /**
   * Stores a message from a process that does not serve the session, in database time; false if the id exists. Rejects
   * QUEUE_FULL.
   */
  queue(built: Built, request: Request, limit: number): Promise<boolean>
  /** The messages stored by other processes, in their order. */
  queued(): Promise<OutgoingRow[]>
  acked(row: OutgoingRow, timestamp: string): Write
  ended(row: OutgoingRow, state: 'failed' | 'unknown', error: GatewayError): Write
  broken(row: OutgoingRow, breaks: number): Write
  /** Commits the evidence that the end of a link has given. */
  broke(row: OutgoingRow, breaks: number): Promise<unknown>
  /** Commits that an ended message is being sent again; its last error is kept until it is sent. */
  again(row: OutgoingRow): Promise<void>
  /** Like `again`, for a message that has changed. */
  changed(row: OutgoingRow, built: Built): Promise<void>
  /** Ids of the last `limit` messages that ended without success. */
  unsettled(limit: number): Promise<string[]>
  /** Messages left unfinished by a stop or a lost link, in their order. */
  unfinished(): Promise<OutgoingRow[]>
  rebuild(row: OutgoingRow): Built
  messageOf(row: OutgoingRow): proto.IMessage
  prune(before: number): Promise<void>
}

const KEY = ['session', 'id'] as const
// Only PostgreSQL has several processes.
const QUEUE = `
  INSERT INTO ?? (session, id, envelope, body, state, timestamp, created, breaks)
  VALUES (?, ?, ?, ?, 'queued', '', (extract(epoch FROM clock_timestamp()) * 1000)::bigint, 0)
  ON CONFLICT DO NOTHING`
const OUTCOMES = {
  queued: 'Pending',
  sending: 'Pending',
  unknown: 'Pending',
  acked: 'Sent',
  failed: 'Error',
} as const

export function createOutgoing(db: PluginDb, codec: Codec, session: string): Outgoing {
  const table = db.table('outgoing')
  let last = 0
  /** Unique, so that rows of one millisecond keep their order. */
  const now = (): number => {
    last = Math.max(db.now(), last + 1)
    return last
  }
  const messageOf = (row: OutgoingRow): proto.IMessage =>
    trusted(() => proto.Message.decode(codec.open(`outgoing/${row.id}/body`, row.body) as Buffer))

  async function inState(state: 'queued' | 'sending'): Promise<OutgoingRow[]> {
    const rows = await db.read<Row>(table).where({ session, state }).whereRaw(UNSENT).orderBy('created')
    return rows.map((row) => toRow(codec, row))
  }

  const outgoing: Outgoing = {
    async find(id) {
      const row = await db.read<Row>(table).where({ session, id }).first()
      return row && toRow(codec, row)
    },
    async outcome(id) {
      const row = await db.read<Row>(table).where({ session, id }).first()
      if (!row) return undefined
      const { state, chat, timestamp } = toRow(codec, row)
      const time = timestamp || new Date(Number(row['created'])).toISOString()
      return { chat, status: OUTCOMES[state], time }
    },
    begin({ id, chat, relay }, encoded, request) {
      const body = codec.seal(`outgoing/${id}/body`, Buffer.from(encoded))
      const envelope = { chat, relay, ...request } satisfies Envelope
      const row = {
        id,
        state: 'sending' as const,
        timestamp: '',
        created: now(),
        written: 0,
        ended: 0,
        breaks: 0,
        body,
      }
      const sealed = codec.seal(`outgoing/${id}/envelope`, envelope)
      const stored = db.write([db.put('outgoing', KEY, [{ session, ...row, envelope: sealed, error: null }])])
      return { row: { ...row, ...envelope, error: '' }, stored }
    },
    async queue(built, request, limit) {
      const { id, chat, relay } = built
      const envelope = { chat, relay, ...request } satisfies Envelope
      const values = [
        ...[session, id, codec.seal(`outgoing/${id}/envelope`, envelope)],
        codec.seal(`outgoing/${id}/body`, Buffer.from(encode(built))),
      ]
      return db.transact(async (trx) => {
        const [waiting] = await trx(table)
          .where({ session, state: 'queued' })
          .whereRaw(UNSENT)
          .count<{ count: string }[]>()
        if (Number(waiting?.count) >= limit) throw gatewayError('QUEUE_FULL', [limit])
        const { rowCount } = await trx.raw(QUEUE, [table, ...values])
        return rowCount === 1
      })
    },
    queued: () => inState('queued'),
    acked: ({ id, written }, timestamp) =>
      db.update('outgoing', KEY, [
        { session, id, state: 'acked', error: null, timestamp, written, ended: db.now() },
      ]),
    ended({ id, written }, state, error) {
      const sealed = codec.seal(`outgoing/${id}/error`, keep(error))
      return db.update('outgoing', KEY, [{ session, id, state, error: sealed, written, ended: db.now() }])
    },
    broken: ({ id }, breaks) => db.update('outgoing', KEY, [{ session, id, breaks }]),
    broke: (row, breaks) => db.write([outgoing.broken(row, breaks)]),
    async again({ id }) {
      const change = { session, id, state: 'sending', created: now(), written: 0, ended: 0 }
      await db.write([db.update('outgoing', KEY, [change])])
    },
    async changed({ id, fingerprint, traceparent, annotations }, built) {
      const { chat, relay } = built
      const envelope = { chat, relay, fingerprint, traceparent, annotations } satisfies Envelope
      const change = {
        ...{ session, id, state: 'sending', created: now(), written: 0, ended: 0 },
        envelope: codec.seal(`outgoing/${id}/envelope`, envelope),
        body: codec.seal(`outgoing/${id}/body`, Buffer.from(encode(built))),
      }
      await db.write([db.update('outgoing', KEY, [change])])
    },
    async unsettled(limit) {
      const rows = await db
        .read<Row>(table)
        .where({ session })
        .whereRaw(UNSETTLED)
        .orderBy('created', 'desc')
        .limit(limit)
        .select('id')
      return rows.map(({ id }) => String(id))
    },
    unfinished: () => inState('sending'),
    rebuild: (row) => ({ id: row.id, chat: row.chat, message: messageOf(row), relay: row.relay }),
    messageOf,
    async prune(before) {
      await db.prune('outgoing', (query) => query.where({ session }).where('created', '<', before))
    },
  }
  return outgoing
}

function toRow(codec: Codec, row: Row): OutgoingRow {
  const text = (column: string): string => String(row[column])
  const id = text('id')
  const error = row['error'] as Buffer | null
  return {
    id,
    ...(codec.open(`outgoing/${id}/envelope`, row['envelope'] as Buffer) as Envelope),
    state: text('state') as OutgoingState,
    timestamp: text('timestamp'),
    error: error ? (codec.open(`outgoing/${id}/error`, error) as string) : '',
    created: Number(row['created']),
    written: Number(row['written']),
    ended: Number(row['ended']),
    breaks: Number(row['breaks']),
    body: row['body'] as Buffer,
  }
}
