import type { Knex } from 'knex'
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
import { laneOf, openBody, placeOf, toEvent, toRow } from './event-row.ts'
import { createHorizon } from './horizon.ts'
import { createTail, type Tail } from './tail.ts'

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
  /** Lines after `seq`, oldest first; of all sessions those that no line can come before any more. */
  after(seq: number, limit: number, filter?: EventFilter): Promise<LogEvent[]>
  /** Lines before `seq`, newest first. */
  before(seq: number, limit: number, filter?: EventFilter): Promise<LogEvent[]>
  /** The first line that was logged at `time` or later. */
  seqAt(time: number): Promise<number | undefined>
  /** Of each session at most `limit` lines after its seq, oldest first, in one query. */
  afterEach(
    seqs: readonly [session: string, seq: number][],
    limit: number,
    filter: EventFilter,
  ): Promise<LogEvent[]>
  /** The lines that this process logged. */
  readonly own: Pick<Tail, 'own' | 'count' | 'since' | 'newest'>
  /** Another process may have logged lines of this session. */
  forget(session: string): void
  /** Calls `listener` when it is unknown whether lines of a session were committed: the table may have them. */
  watchLost(listener: (session: string) => void): void
  /** How far a consumer is behind in each session, or in the given ones. @param from the seq to count from, not its cursors. */
  positions(
    consumer: Pick<Cursor, 'consumer' | 'seq'>,
    options: { sessions?: readonly string[]; from?: number },
  ): Promise<Position[]>
  /** Lines by seq, oldest first. */
  lines(seqs: readonly number[]): Promise<LogEvent[]>
  find(id: string): Promise<LogEvent | undefined>
  bounds(session: string): Promise<EventBounds>
  lane(session: string, chat: string): string
  /** The newest seq, 0 for an empty log. */
  last(): Promise<number>
  /** Stores a line that a consumer refused. */
  deadLetter(consumer: string, line: LogEvent, attempts: number, error: string): Write
  /** Drops lines that were logged before `time` (milliseconds) and that every consumer has handled. */
  prune(time: number): Promise<number>
}

/** Where a consumer is that has no lane for a session. */
export interface Cursor {
  readonly consumer: string
  readonly seq: number
}

export interface Position {
  readonly session: string
  /** The cursor. */
  readonly seq: number
  /** The newest line of the session. */
  readonly newest: number
  /** Number of lines after the cursor. */
  readonly behind: number
}

/** The lanes that record what was dropped of each session; no plugin's name has brackets. */
const DROPPED = '(retention)'

export function createEventLog(
  database: Database,
  writer: Writer,
  declared: ReadonlyMap<string, EventDeclaration>,
  vault: Vault,
  isShared: () => boolean = () => false,
): EventLog {
  const { read } = database
  const tail = createTail()
  const horizon = createHorizon(read)
  const lost: ((session: string) => void)[] = []
  const select = ({ session, classes, types, lane }: EventFilter): Knex.QueryBuilder<Row, Row[]> => {
    const query = read<Row>('events').orderBy('seq')
    if (session !== undefined) query.where({ session })
    if (classes && !classes.includes('All')) query.whereIn('class', [...classes])
    if (types) query.whereIn('type', [...types])
    if (lane !== undefined) query.where({ lane })
    return query
  }
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
          tail.forget(session)
          for (const listener of lost) listener(session)
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
      const { session } = filter
      const newest = session === undefined ? undefined : tail.after(seq, limit, { ...filter, session })
      if (newest) return newest
      const query = select(filter).where('seq', '>', seq).limit(limit)
      if (session === undefined && isShared()) query.where('seq', '<=', await horizon())
      return (await query).map(event)
    },
    async before(seq, limit, filter = {}) {
      const query = select(filter).clear('order').orderBy('seq', 'desc')
      return (await query.where('seq', '<', seq).limit(limit)).map(event)
    },
    async seqAt(time) {
      // By the index of times; lines of one moment are few, and their seqs need not be in the order of it.
      const first = await read<Row>('events').where('logged', '>=', time).orderBy('logged').first('logged')
      if (!first) return undefined
      const row = await read('events').where({ logged: first['logged'] }).min({ seq: 'seq' }).first()
      return Number(row?.seq)
    },
    async afterEach(seqs, limit, filter) {
      const each = seqs.map(([session, seq]) =>
        select({ ...filter, session })
          .where('seq', '>', seq)
          .limit(limit)
          .as('lane'),
      )
      // SQLite allows a limit in a part of a union only where that is a query of its own.
      const parts = each.map((lane) => read.select('*').from(lane))
      return (await read.unionAll(parts).orderBy('seq')).map(event)
    },
    own: tail,
    forget: tail.forget,
    watchLost: (listener) => void lost.push(listener),
    async positions({ consumer, seq }, { sessions, from }) {
      const cursor = from === undefined ? read.raw('coalesce(l.seq, ?)', [seq]) : read.raw('?', [from])
      const query = read('sessions as s')
        .leftJoin('lanes as l', (on) => on.on('l.session', 's.id').andOnVal('l.consumer', consumer))
        .select('s.id as session', 'l.seq')
        .select(read('events as e').whereRaw('e.session = s.id').max('e.seq').as('newest'))
        .select(
          read('events as e')
            .whereRaw('e.session = s.id')
            .where('e.seq', '>', cursor)
            .count('*')
            .as('behind'),
        )
      if (sessions) query.whereIn('s.id', [...sessions])
      return (await query).map((row) => ({
        session: String(row.session),
        seq: from ?? Number(row.seq ?? seq),
        newest: Number(row.newest ?? 0),
        behind: Number(row.behind),
      }))
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
      const dropped = await read('lanes').where({ consumer: DROPPED, session }).first()
      const [oldest, newest, gone] = [first, last, dropped].map((row) => Number(row?.seq ?? 0))
      return { dropped: gone ?? 0, oldest: oldest ?? 0, newest: newest ?? 0 }
    },
    lane: (session, chat) => laneOf(vault, session, chat),
    async last() {
      const row = await read('events').max({ seq: 'seq' }).first()
      return Number(row?.seq ?? 0)
    },
    deadLetter(consumer, { session, seq }, attempts, error) {
      const sealed = vault.seal(session, `dead_letters/${consumer}/${seq}`, error.slice(0, 1_000))
      const rows = [{ consumer, session, seq, attempts, error: sealed, time: Date.now() }]
      return { table: 'dead_letters', key: ['seq', 'consumer'], mode: 'put', rows }
    },
    async prune(time) {
      return writer.transact(async (trx) => {
        await trx('lanes').whereNotIn('session', trx('sessions').select('id')).del()
        const waiting = trx('cursors as c')
          .leftJoin('lanes as l', (on) =>
            on.on('l.consumer', 'c.consumer').andOn('l.session', 'events.session'),
          )
          .whereRaw('coalesce(l.seq, c.seq) < events.seq')
        const old = trx('events').where('logged', '<', time).whereNotExists(waiting)
        const dropped: { session: string; seq: number }[] = await old
          .clone()
          .groupBy('session')
          .select('session')
          .max({ seq: 'seq' })
        if (dropped.length === 0) return 0
        const rows = dropped.map(({ session, seq }) => ({ consumer: DROPPED, session, seq }))
        await trx('lanes').insert(rows).onConflict(['consumer', 'session']).merge()
        tail.drop(new Map(rows.map(({ session, seq }) => [session, Number(seq)])))
        return old.del()
      })
    },
  }
}
