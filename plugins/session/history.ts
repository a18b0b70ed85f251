import {
  ALL_OWNED,
  type Backoff,
  coalesce,
  createOwned,
  isFenced,
  isStorageError,
  type Kernel,
  type Ownership,
  type Row,
  reasonOf,
  type StateChange,
  type Vault,
} from 'wamux/plugin'

export interface RecordedChange {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly from: string
  readonly to: string
  /** A CloseReason; '' for a change other than the end of a link. */
  readonly cause: string
  readonly reason: string
}

/** The last state changes of each session. */
export interface History {
  /** When the gateway started, milliseconds since 1970. */
  readonly startedAt: number
  /** Reads the newest change of each session and begins to watch. */
  start(): Promise<void>
  newest(session: string): RecordedChange | undefined
  /** Newest first. */
  read(session: string): Promise<RecordedChange[]>
  /** Number of links that ended since the start, by cause. */
  readonly ended: ReadonlyMap<string, number>
  /** Stores pending changes, if the database answers. */
  stop(): Promise<void>
}

/** Changes kept per session. */
export const KEPT = 50
const RETRY: Backoff = { first: 5_000, most: 5_000 }

interface SessionHistory {
  newest: RecordedChange
  /** Number of the last stored one; undefined if another process may have stored more. */
  stored: number | undefined
  /** Pending ones, oldest first: they wait while the database is away. */
  unsaved: RecordedChange[]
}

/** A change in the table's form: changes are numbered, and the last `KEPT` of a session have a row each. */
interface Numbered extends RecordedChange {
  readonly number: number
}

type Deps = Pick<Kernel<unknown>, 'db' | 'vault' | 'sessions' | 'log'> & { ownership?: Ownership | undefined }

export function createHistory({ db, vault, sessions, log, ownership = ALL_OWNED }: Deps): History {
  const entries = new Map<string, SessionHistory>()
  const ended = new Map<string, number>()
  let unwatch = (): void => undefined
  const saving = coalesce(saveAll, { retry: RETRY })
  // Another process that had the session has written to its history.
  const owned = createOwned({
    ownership,
    async open(session) {
      const entry = entries.get(session)
      if (entry) entry.stored = undefined
      const [newest] = await storedOf(session)
      if (newest && !entries.get(session)?.unsaved.length)
        entries.set(session, { newest, stored: newest.number, unsaved: [] })
    },
    async close(session) {
      await saving.run().catch(() => undefined)
      entries.delete(session)
    },
    onError: (error, session) => log.error({ session, reason: reasonOf(error) }, 'history not read'),
  })

  function add({ session, ...change }: StateChange): void {
    const { at, to, cause = '', reason } = change
    if (cause) ended.set(cause, (ended.get(cause) ?? 0) + 1)
    const entry = entries.get(session)
    const last = entry?.newest
    // Recording the reconnect attempts in between would push out everything else.
    const isRetry = change.from === 'waiting' && to === 'connecting'
    if (isRetry || (last?.to === 'waiting' && to === 'waiting' && last.reason === reason)) return
    const from = last?.to === 'waiting' ? 'waiting' : change.from
    const newest = { at, from, to, cause, reason }
    const unsaved = [...(entry?.unsaved ?? []), newest].slice(-KEPT)
    entries.set(session, { newest, stored: entry?.stored, unsaved })
    saving.request()
  }

  async function saveAll(): Promise<void> {
    const waiting = [...entries].filter(([, { unsaved }]) => unsaved.length > 0)
    const stored = await Promise.allSettled(waiting.map(([session, entry]) => store(session, entry)))
    for (const one of stored) if (one.status === 'rejected') throw one.reason
  }

  /** Rejects if the storage fails; the changes then wait. */
  async function store(session: string, { stored, unsaved }: SessionHistory): Promise<void> {
    let last = stored
    try {
      last ??= (await storedOf(session))[0]?.number ?? 0
      const first = last + 1
      const rows = unsaved.map((change, i) => toRow(vault, session, { ...change, number: first + i }))
      await db.write([db.put('history', ['session', 'slot'], rows)], { isDeferred: true })
      last += unsaved.length
    } catch (error) {
      if (isStorageError(error)) throw error
      // The process that now serves it has its own history; a deleted session has neither a key nor a row.
      const isOver = isFenced(error) || !(await sessions.byId(session))
      if (isOver) entries.delete(session)
      else log.error({ session, reason: reasonOf(error) }, 'history not stored')
    }
    const entry = entries.get(session)
    if (entry) {
      entry.stored = last
      entry.unsaved = entry.unsaved.filter((change) => !unsaved.includes(change))
    }
  }

  /** Newest first. */
  async function storedOf(session: string): Promise<Numbered[]> {
    const rows = await db.read<Row>(db.table('history')).where({ session }).orderBy('number', 'desc')
    return rows.map((row) => fromRow(vault, row))
  }

  return {
    startedAt: Date.now(),
    ended,
    async start() {
      const table = db.table('history')
      const last = db.read(table).groupBy('session').select('session').max({ number: 'number' }).as('last')
      const rows = await db
        .read<Row>(table)
        .join(last, (join) =>
          join.on(`${table}.session`, 'last.session').andOn(`${table}.number`, 'last.number'),
        )
        .select<Row[]>(`${table}.*`)
      for (const row of rows) {
        const newest = fromRow(vault, row)
        entries.set(String(row['session']), { newest, stored: newest.number, unsaved: [] })
      }
      unwatch = sessions.watch(add)
      owned.start()
    },
    newest: (session) => entries.get(session)?.newest,
    async read(session) {
      const rows = await storedOf(session)
      const { stored, unsaved = [] } = entries.get(session) ?? {}
      // A row may already exist while its commit is in progress.
      const known = stored === undefined ? rows : rows.filter(({ number }) => number <= stored)
      return [...unsaved.toReversed(), ...known].slice(0, KEPT)
    },
    async stop() {
      unwatch()
      await owned.stop()
      await saving.run().catch(() => undefined)
      await saving.stop()
    },
  }
}

const placeOf = (number: number): string => `session_history/${number}`

function toRow(vault: Vault, session: string, { number, at, from, to, cause, reason }: Numbered): Row {
  const sealed = vault.seal(session, placeOf(number), reason)
  return { session, slot: number % KEPT, number, at, from_state: from, to_state: to, cause, reason: sealed }
}

function fromRow(vault: Vault, row: Row): Numbered {
  const text = (column: string): string => String(row[column])
  const number = Number(row['number'])
  return {
    number,
    at: Number(row['at']),
    from: text('from_state'),
    to: text('to_state'),
    cause: text('cause'),
    reason: vault.open(text('session'), placeOf(number), row['reason'] as Buffer).toString(),
  }
}
