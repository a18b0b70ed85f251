import type { Knex } from 'knex'
import type { Database } from '../db/database.ts'
import { deleteInSlices } from '../db/slices.ts'
import type { Writer } from '../db/writer.ts'
import type {
  EventDeclaration,
  EventFilter,
  Events,
  LogEvent,
  NewEvent,
  RaiseOptions,
} from '../types/events.ts'
import type { Row, Write } from '../types/storage.ts'
import type { SessionVault } from '../vault/vault.ts'
import { laneOf, openBody, placeOf, toEvent, toRow } from './event-row.ts'
import { createTail, type OwnLines } from './tail.ts'

/** The append-only table of all events. */
export interface EventLog
  extends Pick<Events, 'after' | 'before' | 'seqAt' | 'lines' | 'find' | 'bounds' | 'lane'> {
  /**
   * Commits `events` and `writes` together. Their JSON is written here unless they have it.
   *
   * @returns the new lines, without those already logged.
   */
  append(
    session: string,
    events: readonly (NewEvent & { readonly json?: string })[],
    writes: readonly Write[],
    options?: RaiseOptions,
  ): Promise<LogEvent[]>
  /** For consumers: the lines that this process logged, and reads of many sessions at once. */
  readonly own: OwnLines
  /** Says that another process may have logged lines of this session. */
  forget(session: string): void
  /** Drops lines that were logged before `time` (milliseconds) and that every consumer has handled. */
  prune(time: number): Promise<number>
}

/** The body of an event. Throws for one that is nested too deeply. */
export function jsonOf({ body }: NewEvent, { traceparent }: RaiseOptions = {}): string {
  // First, so that readers find it without parsing.
  return JSON.stringify(traceparent ? { traceparent, ...body } : body)
}

/** The cursors that record how much of each session was dropped; no plugin name has parentheses. */
const DROPPED = '(retention)'

/** Lines that retention drops in one transaction, with what refers to them. */
const PRUNED_ROWS = 500

/** Lines logged before `time` that every consumer has handled. */
function oldLines(db: Knex, time: number): Knex.QueryBuilder {
  const waiting = db('consumers as c')
    .leftJoin('cursors as l', (on) => on.on('l.consumer', 'c.consumer').andOn('l.session', 'events.session'))
    .whereRaw('coalesce(l.seq, c.seq) < events.seq')
  return db('events').where('logged', '<', time).whereNotExists(waiting)
}

export function createEventLog(
  database: Database,
  writer: Writer,
  declared: ReadonlyMap<string, EventDeclaration>,
  vault: SessionVault,
  horizon: () => Promise<number | undefined> = async () => undefined,
): EventLog {
  const { read } = database
  const tail = createTail()
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
  /** The lines of a query, as far as `bytes` allows. The length of a body is known without reading it. */
  async function linesOf(
    query: Knex.QueryBuilder<Row, Row[]>,
    bytes: number | undefined,
  ): Promise<LogEvent[]> {
    if (bytes === undefined) return (await query).map(event)
    const sizes: Row[] = await query.clone().select('seq', read.raw('length(body) as size'))
    let left = bytes
    const over = sizes.findIndex(({ size }, at) => {
      left -= Number(size)
      return left < 0 && at > 0
    })
    const seqs = (over < 0 ? sizes : sizes.slice(0, over)).map(({ seq }) => Number(seq))
    // The range, which the index has; what was logged after the sizes were read is not in it.
    const [low, high] = [Math.min(...seqs), Math.max(...seqs)]
    return seqs.length === 0 ? [] : (await query.whereBetween('seq', [low, high])).map(event)
  }
  async function afterEach(
    seqs: readonly [session: string, seq: number][],
    limit: number,
    filter: EventFilter,
  ): Promise<LogEvent[]> {
    const each = seqs.map(([session, seq]) =>
      select({ ...filter, session })
        .where('seq', '>', seq)
        .limit(limit)
        .as('lane'),
    )
    // SQLite allows a limit in part of a union only within a subquery.
    const parts = each.map((lane) => read.select('*').from(lane))
    return (await read.unionAll(parts).orderBy('seq')).map(event)
  }
  /** Those of the lines that every consumer has still handled, and up to which line of each session. */
  function drop(lines: readonly { seq: number; session: string }[], time: number): Promise<number> {
    return writer.transact(async (trx) => {
      const seqs = lines.map(({ seq }) => seq)
      const old = oldLines(trx, time).whereIn('seq', seqs)
      const dropped: { session: string; seq: number }[] = await old
        .clone()
        .groupBy('session')
        .select('session')
        .max({ seq: 'seq' })
      if (dropped.length === 0) return 0
      const rows = dropped.map(({ session, seq }) => ({ consumer: DROPPED, session, seq }))
      await trx('cursors').insert(rows).onConflict(['consumer', 'session']).merge()
      tail.drop(new Map(rows.map(({ session, seq }) => [session, Number(seq)])))
      return old.del()
    })
  }

  return {
    async append(session, events, writes, options) {
      if (events.length === 0 && writes.length === 0) return []
      const texts = new Map<string, string>()
      const rows = events.map((event) => {
        const row = toRow(vault, session, event, declared)
        const text = event.json ?? jsonOf(event, options)
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
      const complete = session === undefined ? await horizon() : undefined
      if (complete !== undefined) query.where('seq', '<=', complete)
      return linesOf(query, filter.bytes)
    },
    async before(seq, limit, filter = {}) {
      const query = select(filter).clear('order').orderBy('seq', 'desc')
      return linesOf(query.where('seq', '<', seq).limit(limit), filter.bytes)
    },
    async seqAt(time) {
      // By the index on time; lines of the same millisecond are few, and their seqs need not follow it.
      const first = await read<Row>('events').where('logged', '>=', time).orderBy('logged').first('logged')
      if (!first) return undefined
      const row = await read('events').where({ logged: first['logged'] }).min({ seq: 'seq' }).first()
      return Number(row?.seq)
    },
    own: { ...tail, afterEach, watchLost: (listener) => void lost.push(listener) },
    forget: tail.forget,
    async lines(seqs) {
      return (
        await read<Row>('events')
          .whereIn('seq', [...seqs])
          .orderBy('seq')
      ).map(event)
    },
    async find(id, viewer) {
      const row = await read<Row>('events').where({ id }).first()
      const line = row && event(row)
      return line && (await viewer.seesEvent(line)) ? line : undefined
    },
    async bounds(session) {
      // Two queries: for both at once SQLite would read every line.
      const first = await read('events').where({ session }).min({ seq: 'seq' }).first()
      const last = await read('events').where({ session }).max({ seq: 'seq' }).first()
      const dropped = await read('cursors').where({ consumer: DROPPED, session }).first()
      const [oldest, newest, gone] = [first, last, dropped].map((row) => Number(row?.seq ?? 0))
      return { dropped: gone ?? 0, oldest: oldest ?? 0, newest: newest ?? 0 }
    },
    lane: (session, chat) => laneOf(vault, session, chat),
    async prune(time) {
      await deleteInSlices(writer, 'cursors', (query) =>
        query.whereNotIn('session', read('sessions').select('id')),
      )
      let count = 0
      for (let last = 0; ; ) {
        // Outside the transaction: it may pass by many lines that a consumer still needs.
        const rows: { seq: number; session: string }[] = await oldLines(read, time)
          .where('seq', '>', last)
          .orderBy('seq')
          .limit(PRUNED_ROWS)
          .select('seq', 'session')
        count += await drop(rows, time)
        last = Number(rows.at(-1)?.seq ?? 0)
        if (rows.length < PRUNED_ROWS) return count
      }
    },
  }
}
