import { randomUUID } from 'node:crypto'
import type { Database } from '../db/open.ts'
import type { Writer } from '../db/writer.ts'
import type {
  EventBounds,
  EventDeclaration,
  EventFilter,
  LogEvent,
  NewEvent,
  RaiseOptions,
} from '../types/events.ts'
import type { Row, Vault, Write } from '../types/storage.ts'
import { createTail } from './tail.ts'

/** The append-only table of all events. */
export interface EventLog {
  /**
   * Commits `events` and `writes` together.
   *
   * @returns the new lines, without those that were logged before.
   */
  append(
    session: string,
    events: readonly NewEvent[],
    writes: readonly Write[],
    options?: RaiseOptions,
  ): Promise<LogEvent[]>
  /** Lines after `seq`, oldest first. */
  after(seq: number, limit: number, filter?: EventFilter): Promise<LogEvent[]>
  /** Lines by seq, oldest first. */
  lines(seqs: readonly number[]): Promise<LogEvent[]>
  find(id: string): Promise<LogEvent | undefined>
  bounds(session: string): Promise<EventBounds>
  lane(session: string, chat: string): string
  /** The newest seq, 0 for an empty log. */
  last(): Promise<number>
  /** Drops lines that were logged before `time` (milliseconds) and that every consumer has handled. */
  prune(time: number): Promise<number>
}

/** Prefix of cursors that record what was dropped of each session; no plugin's name has brackets. */
const DROPPED = '(retention) '

export function createEventLog(
  database: Database,
  writer: Writer,
  declared: ReadonlyMap<string, EventDeclaration>,
  vault: Vault,
): EventLog {
  const { read } = database
  const tail = createTail()
  const event = (row: Row): LogEvent => toEvent(row, openBody(vault, row))
  return {
    async append(session, events, writes, options) {
      if (events.length === 0 && writes.length === 0) return []
      const texts = new Map<string, string>()
      const rows = events.map((event) => {
        const row = toRow(vault, session, event, declared)
        const { traceparent } = options ?? {}
        // First, where readers find it without parsing.
        const text = JSON.stringify(traceparent ? { traceparent, ...event.body } : event.body)
        texts.set(row.id, text)
        return { ...row, body: vault.seal(session, placeOf(row.id), text) }
      })
      const add: Write = { table: 'events', key: ['id'], mode: 'add', rows, returning: ['id', 'seq'] }
      const inserted = await writer
        .write(rows.length > 0 ? [add, ...writes] : writes, options)
        .catch((error: unknown) => {
          // If the connection was lost during COMMIT, the table may have these lines or not.
          tail.clear()
          throw error
        })
      const seqs = new Map(inserted.map(({ id, seq }) => [id, seq]))
      const lines = rows
        .filter(({ id }) => seqs.has(id))
        .map((row) => toEvent({ ...row, seq: seqs.get(row.id) }, texts.get(row.id) ?? ''))
        .sort((a, b) => a.seq - b.seq)
      tail.add(lines, ({ id }) => texts.get(id)?.length ?? 0)
      return lines
    },
    async after(seq, limit, filter = {}) {
      const newest = tail.after(seq, limit, filter)
      if (newest) return newest
      const { session, classes } = filter
      const query = read<Row>('events').where('seq', '>', seq).orderBy('seq').limit(limit)
      if (session) query.where({ session })
      if (classes && !classes.includes('All')) query.whereIn('class', [...classes])
      return (await query).map(event)
    },
    async lines(seqs) {
      return (
        await read<Row>('events')
          .whereIn('seq', [...seqs])
          .orderBy('seq')
      ).map(event)
    },
    async find(id) {
      const row = await read<Row>('events').where({ id }).first()
      return row && event(row)
    },
    async bounds(session) {
      // Two queries: SQLite would read every line to find both at once.
      const first = await read('events').where({ session }).min({ seq: 'seq' }).first()
      const last = await read('events').where({ session }).max({ seq: 'seq' }).first()
      const dropped = await read('cursors')
        .where({ consumer: DROPPED + session })
        .first()
      const [oldest, newest, gone] = [first, last, dropped].map((row) => Number(row?.seq ?? 0))
      return { dropped: gone ?? 0, oldest: oldest ?? 0, newest: newest ?? 0 }
    },
    lane: (session, chat) => laneOf(vault, session, chat),
    async last() {
      const row = await read('events').max({ seq: 'seq' }).first()
      return Number(row?.seq ?? 0)
    },
    async prune(time) {
      const slowest = await read('cursors')
        .whereNot('consumer', 'like', `${DROPPED}%`)
        .min({ seq: 'seq' })
        .first()
      const handled = slowest?.seq ?? Number.MAX_SAFE_INTEGER
      const dropped = await writer.transact(async (trx) => {
        const old = trx('events').where('logged', '<', time).where('seq', '<=', handled)
        const sessions: { session: string; seq: number }[] = await old
          .clone()
          .groupBy('session')
          .select('session', trx.raw('max(seq) AS seq'))
        if (sessions.length === 0) return 0
        const marks = sessions.map(({ session, seq }) => ({ consumer: DROPPED + session, seq }))
        await trx('cursors').insert(marks).onConflict('consumer').merge()
        return old.del()
      })
      if (dropped > 0) tail.clear()
      return dropped
    },
  }
}

function toRow(
  vault: Vault,
  session: string,
  { type, chat, key, time }: NewEvent,
  declared: ReadonlyMap<string, EventDeclaration>,
) {
  return {
    id: eventId(vault.index(session, 'events/id', JSON.stringify([type, key ?? randomUUID()]))),
    session,
    class: declared.get(type)?.class ?? 'All',
    type,
    // Only compared, never read back.
    lane: chat ? laneOf(vault, session, chat) : session,
    time: time ?? new Date().toISOString(),
    logged: Date.now(),
  }
}

function laneOf(vault: Vault, session: string, chat: string): string {
  return vault.index(session, 'events/lane', chat)
}

/** The body is parsed when it is first read: most readers pass on its JSON. */
function toEvent(row: Row, json: string): LogEvent {
  const text = (column: string): string => String(row[column])
  let body: Record<string, unknown> | undefined
  return {
    seq: Number(row['seq']),
    id: text('id'),
    session: text('session'),
    class: text('class'),
    type: text('type'),
    lane: text('lane'),
    time: text('time'),
    json,
    get body() {
      body ??= JSON.parse(json) as Record<string, unknown>
      return body
    },
  }
}

const placeOf = (id: string): string => `events/${id}`

function openBody(vault: Vault, { id, session, body }: Row): string {
  return vault.open(String(session), placeOf(String(id)), body as Buffer).toString()
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** `evt_` and an index in base-32 digits: keys of events identify people, and a plain hash could be reversed by guessing. */
function eventId(index: string): string {
  let id = ''
  let bits = 0
  let value = 0
  for (const byte of Buffer.from(index, 'base64url').reverse()) {
    value |= byte << bits
    bits += 8
    for (; bits >= 5; bits -= 5) {
      id = ALPHABET[value & 31] + id
      value >>>= 5
    }
  }
  return `evt_${ALPHABET[value]}${id}`
}
