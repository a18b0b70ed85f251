import { createHash, randomUUID } from 'node:crypto'
import type { Database } from '../db/open.ts'
import type { Writer } from '../db/writer.ts'
import type { EventDeclaration, LogEvent, NewEvent } from '../types/events.ts'
import type { Row, Write } from '../types/storage.ts'

/** The append-only table of everything that happened. */
export interface EventLog {
  /**
   * Commits `events` and `writes` together.
   * @returns the lines that are new; one that was logged before is left out.
   */
  append(session: string, events: readonly NewEvent[], writes: readonly Write[]): Promise<LogEvent[]>
  /** Lines after `seq`, oldest first. */
  after(seq: number, limit: number, session?: string): Promise<LogEvent[]>
  /** The newest seq, 0 for an empty log. */
  last(): Promise<number>
  /** Drops lines that were logged before `time` (milliseconds) and that every consumer has passed. */
  prune(time: number): Promise<number>
}

export function createEventLog(
  database: Database,
  writer: Writer,
  declared: ReadonlyMap<string, EventDeclaration>,
): EventLog {
  const { read } = database
  return {
    async append(session, events, writes) {
      const rows = events.map((event) => toRow(session, event, declared))
      const add: Write = { table: 'events', key: ['id'], mode: 'add', rows }
      const inserted = await writer.write(rows.length > 0 ? [add, ...writes] : writes)
      return inserted
        .filter((row) => 'lane' in row)
        .map(toEvent)
        .sort((a, b) => a.seq - b.seq)
    },
    async after(seq, limit, session) {
      const query = read<Row>('events').where('seq', '>', seq).orderBy('seq').limit(limit)
      return (await (session ? query.where({ session }) : query)).map(toEvent)
    },
    async last() {
      const row = await read('events').max({ seq: 'seq' }).first()
      return Number(row?.seq ?? 0)
    },
    async prune(time) {
      const slowest = await read('cursors').min({ seq: 'seq' }).first()
      const passed = slowest?.seq ?? Number.MAX_SAFE_INTEGER
      return writer.transact((trx) =>
        trx('events').where('logged', '<', time).where('seq', '<=', passed).del(),
      )
    },
  }
}

function toRow(session: string, event: NewEvent, declared: ReadonlyMap<string, EventDeclaration>): Row {
  const { type, chat } = event
  const kind = declared.get(type)?.class ?? 'All'
  return {
    id: eventId([session, type, event.key ?? randomUUID()]),
    session,
    class: kind,
    type,
    lane: chat ? `${session}/${chat}` : session,
    time: event.time ?? new Date().toISOString(),
    body: JSON.stringify(event.body),
    logged: Date.now(),
  }
}

function toEvent(row: Row): LogEvent {
  const text = (column: string): string => String(row[column])
  return {
    seq: Number(row['seq']),
    id: text('id'),
    session: text('session'),
    class: text('class'),
    type: text('type'),
    lane: text('lane'),
    time: text('time'),
    body: JSON.parse(text('body')) as Record<string, unknown>,
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
