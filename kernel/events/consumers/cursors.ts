import type { LogEvent } from '../../types/events.ts'
import type { PluginDb, Vault, Write } from '../../types/storage.ts'

/**
 * The stored cursors of one consumer: one per session (`cursors`), and where it begins in sessions without one (`consumers`).
 * Retention keeps the lines after them, even while the consumer's plugin is disabled.
 */
export interface Cursors {
  /** Its backlog in each session, or in the given ones. @param from the seq to count from, not its cursors. */
  positions(options?: { sessions?: readonly string[]; from?: number }): Promise<Position[]>
  move(ends: Ends): Write
  /** Stores a line that the consumer refused. */
  addDeadLetter(line: LogEvent, attempts: number, error: string): Write
  /** How often a dead letter was refused; 0 for an event that is not a dead letter. */
  attemptsOf(line: LogEvent): Promise<number>
  /** Removes it again. */
  removeDeadLetter(line: LogEvent): Write
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

/** Cursors after a batch, by session. */
export type Ends = readonly { readonly session: string; readonly end: number }[]

/** Opens the cursors of a consumer; a new one starts at the end of the log. */
export async function openCursors(
  { db, vault }: { db: PluginDb; vault: Vault },
  consumer: string,
): Promise<Cursors> {
  const { read } = db
  const start = await startOf(db, consumer)
  return {
    async positions({ sessions, from } = {}) {
      const cursor = from === undefined ? read.raw('coalesce(l.seq, ?)', [start]) : read.raw('?', [from])
      const query = read('sessions as s')
        .leftJoin('cursors as l', (on) => on.on('l.session', 's.id').andOnVal('l.consumer', consumer))
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
        seq: from ?? Number(row.seq ?? start),
        newest: Number(row.newest ?? 0),
        behind: Number(row.behind),
      }))
    },
    move(ends) {
      const rows = ends.map(({ session, end }) => ({ consumer, session, seq: end }))
      return { table: 'cursors', key: ['consumer', 'session'], mode: 'put', rows }
    },
    addDeadLetter({ session, seq }, attempts, error) {
      const sealed = vault.seal(session, `dead_letters/${consumer}/${seq}`, error.slice(0, 1_000))
      const rows = [{ consumer, session, seq, attempts, error: sealed, time: Date.now() }]
      return { table: 'dead_letters', key: ['seq', 'consumer'], mode: 'put', rows }
    },
    async attemptsOf({ seq }) {
      const row = await read('dead_letters').where({ consumer, seq }).first('attempts')
      return Number(row?.attempts ?? 0)
    },
    removeDeadLetter: ({ seq }) => ({
      table: 'dead_letters',
      key: ['seq', 'consumer'],
      mode: 'remove',
      rows: [{ seq, consumer }],
    }),
  }
}

async function startOf(db: PluginDb, consumer: string): Promise<number> {
  const stored = () => db.read('consumers').where({ consumer }).first()
  const row = await stored()
  if (row) return Number(row.seq)
  const last = await db.read('events').max({ seq: 'seq' }).first()
  const seq = Number(last?.seq ?? 0)
  await db.transact(async (trx) => {
    // Another process starting at the same time may be first.
    const made = await trx('consumers').insert({ consumer, seq }, ['seq']).onConflict('consumer').ignore()
    if (made.length === 0) return
    // Left by a plugin that was removed earlier.
    for (const table of ['cursors', 'dead_letters']) await trx(table).where({ consumer }).del()
  })
  return Number((await stored())?.seq ?? seq)
}
