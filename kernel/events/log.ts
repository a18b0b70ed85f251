import { createHash, randomUUID } from 'node:crypto'
import type { Database } from '../db/open.ts'
import type { Writer } from '../db/writer.ts'
import type { EventBounds, EventDeclaration, EventFilter, LogEvent, NewEvent } from '../types/events.ts'
import type { Row, Vault, Write } from '../types/storage.ts'

/** The append-only table of everything that happened. */
export interface EventLog {
  /**
   * Commits `events` and `writes` together.
   * @returns the lines that are new; one that was logged before is left out.
   */
  append(session: string, events: readonly NewEvent[], writes: readonly Write[]): Promise<LogEvent[]>
  /** Lines after `seq`, oldest first. */
  after(seq: number, limit: number, filter?: EventFilter): Promise<LogEvent[]>
  /** Lines by seq, oldest first. */
  lines(seqs: readonly number[]): Promise<LogEvent[]>
  find(id: string): Promise<LogEvent | undefined>
  bounds(session: string): Promise<EventBounds>
  /** The newest seq, 0 for an empty log. */
  last(): Promise<number>
  /** Drops lines that were logged before `time` (milliseconds) and that every consumer has passed. */
  prune(time: number): Promise<number>
}

/** Cursors of what was dropped, one a session; no plugin's name has brackets. */
const DROPPED = '(retention) '

export function createEventLog(
  database: Database,
  writer: Writer,
  declared: ReadonlyMap<string, EventDeclaration>,
  vault: Vault,
): EventLog {
  const { read } = database
  const event = (row: Row): LogEvent => toEvent(vault, row)
  return {
    async append(session, events, writes) {
      if (events.length === 0 && writes.length === 0) return []
      const rows = events.map((event) => toRow(vault, session, event, declared))
      const add: Write = { table: 'events', key: ['id'], mode: 'add', rows }
      const inserted = await writer.write(rows.length > 0 ? [add, ...writes] : writes)
      return inserted
        .filter((row) => 'lane' in row)
        .map(event)
        .sort((a, b) => a.seq - b.seq)
    },
    async after(seq, limit, { session, classes } = {}) {
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
      // Two look-ups: SQLite reads every line to find both at once.
      const first = await read('events').where({ session }).min({ seq: 'seq' }).first()
      const last = await read('events').where({ session }).max({ seq: 'seq' }).first()
      const dropped = await read('cursors')
        .where({ consumer: DROPPED + session })
        .first()
      const [oldest, newest, gone] = [first, last, dropped].map((row) => Number(row?.seq ?? 0))
      return { dropped: gone ?? 0, oldest: oldest ?? 0, newest: newest ?? 0 }
    },
    async last() {
      const row = await read('events').max({ seq: 'seq' }).first()
      return Number(row?.seq ?? 0)
    },
    async prune(time) {
      const slowest = await read('cursors')
        .whereNot('consumer', 'like', `${DROPPED}%`)
        .min({ seq: 'seq' })
        .first()
      const passed = slowest?.seq ?? Number.MAX_SAFE_INTEGER
      return writer.transact(async (trx) => {
        const old = trx('events').where('logged', '<', time).where('seq', '<=', passed)
        const sessions: { session: string; seq: number }[] = await old
          .clone()
          .groupBy('session')
          .select('session', trx.raw('max(seq) AS seq'))
        if (sessions.length === 0) return 0
        const marks = sessions.map(({ session, seq }) => ({ consumer: DROPPED + session, seq }))
        await trx('cursors').insert(marks).onConflict('consumer').merge()
        return old.del()
      })
    },
  }
}

function toRow(
  vault: Vault,
  session: string,
  event: NewEvent,
  declared: ReadonlyMap<string, EventDeclaration>,
): Row {
  const { type, chat } = event
  const kind = declared.get(type)?.class ?? 'All'
  const id = eventId([session, type, event.key ?? randomUUID()])
  return {
    id,
    session,
    class: kind,
    type,
    lane: chat ? `${session}/${chat}` : session,
    time: event.time ?? new Date().toISOString(),
    body: vault.seal(session, `events/${id}`, JSON.stringify(event.body)),
    logged: Date.now(),
  }
}

function toEvent(vault: Vault, row: Row): LogEvent {
  const text = (column: string): string => String(row[column])
  return {
    seq: Number(row['seq']),
    id: text('id'),
    session: text('session'),
    class: text('class'),
    type: text('type'),
    lane: text('lane'),
    time: text('time'),
    body: JSON.parse(vault.open(text('session'), `events/${text('id')}`, row['body'] as Buffer).toString()),
  }
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** `evt_` and 26 base-32 characters (130 bits) of a SHA-256; the parts can't run into each other. */
function eventId(parts: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest()
  let bits = BigInt(`0x${digest.subarray(0, 17).toString('hex')}`)
  let id = ''
  for (let i = 0; i < 26; i += 1) {
    id = ALPHABET[Number(bits & 31n)] + id
    bits >>= 5n
  }
  return `evt_${id}`
}
