import { isStorageError, type Kernel, type Row, reasonOf, type StateChange, type Vault } from 'wamux/plugin'

export interface Change {
  /** Counts the changes of the session. */
  readonly number: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly from: string
  readonly to: string
  /** A CloseReason; '' for a change that was not the end of a link. */
  readonly cause: string
  readonly reason: string
}

/** The last changes of the state of each session. */
export interface History {
  /** When the gateway started, milliseconds since 1970. */
  readonly startedAt: number
  /** Reads the newest change of each session, and begins to watch. */
  start(): Promise<void>
  newest(session: string): Change | undefined
  /** Newest first. */
  read(session: string): Promise<Change[]>
  /** Number of links that ended since the start, by cause. */
  readonly ended: ReadonlyMap<string, number>
  /** Stores what is not stored yet, if the database answers. */
  stop(): Promise<void>
}

/** Changes kept for each session. */
export const KEPT = 50
const RETRY_MS = 5_000

interface Entry {
  newest: Change
  /** Not stored yet, oldest first: while the database is away, they wait. */
  unsaved: Change[]
}

export function createHistory({
  db,
  vault,
  sessions,
  log,
}: Pick<Kernel<unknown>, 'db' | 'vault' | 'sessions' | 'log'>): History {
  const entries = new Map<string, Entry>()
  const ended = new Map<string, number>()
  let unwatch = (): void => undefined
  let saving: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  function add({ session, ...change }: StateChange): void {
    const { at, to, cause = '', reason } = change
    if (cause) ended.set(cause, (ended.get(cause) ?? 0) + 1)
    const entry = entries.get(session)
    const last = entry?.newest
    // Attempts to reconnect in between would push everything else out.
    const isRetry = change.from === 'waiting' && to === 'connecting'
    if (isRetry || (last?.to === 'waiting' && to === 'waiting' && last.reason === reason)) return
    const from = last?.to === 'waiting' ? 'waiting' : change.from
    const newest = { number: (last?.number ?? 0) + 1, at, from, to, cause, reason }
    const unsaved = [...(entry?.unsaved ?? []), newest].slice(-KEPT)
    entries.set(session, { newest, unsaved })
    save()
  }

  function save(): void {
    clearTimeout(timer)
    saving ??= saveAll().finally(() => {
      saving = undefined
    })
  }

  async function saveAll(): Promise<void> {
    for (;;) {
      const waiting = [...entries].filter(([, { unsaved }]) => unsaved.length > 0)
      if (waiting.length === 0) return
      const results = await Promise.all(waiting.map(([session, { unsaved }]) => store(session, unsaved)))
      if (results.includes(false)) {
        timer = setTimeout(save, RETRY_MS)
        return
      }
    }
  }

  /** False where the storage failed. */
  async function store(session: string, changes: readonly Change[]): Promise<boolean> {
    try {
      const rows = changes.map((change) => toRow(vault, session, change))
      await db.write([db.put('history', ['session', 'slot'], rows)], { isDeferred: true })
    } catch (error) {
      if (isStorageError(error)) return false
      // A session that was deleted meanwhile has neither a key nor a row that these could belong to.
      if (await sessions.byId(session)) log.error({ session, reason: reasonOf(error) }, 'history not stored')
      else entries.delete(session)
    }
    const entry = entries.get(session)
    if (entry) entry.unsaved = entry.unsaved.filter((change) => !changes.includes(change))
    return true
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
      for (const row of rows)
        entries.set(String(row['session']), { newest: fromRow(vault, row), unsaved: [] })
      unwatch = sessions.watch(add)
    },
    newest: (session) => entries.get(session)?.newest,
    async read(session) {
      const rows = await db.read<Row>(db.table('history')).where({ session })
      const unsaved = entries.get(session)?.unsaved ?? []
      const first = unsaved[0]?.number ?? Number.POSITIVE_INFINITY
      const stored = rows.map((row) => fromRow(vault, row)).filter(({ number }) => number < first)
      return [...stored, ...unsaved].sort((a, b) => b.number - a.number).slice(0, KEPT)
    },
    async stop() {
      unwatch()
      clearTimeout(timer)
      if (!saving) save()
      await saving
      clearTimeout(timer)
    },
  }
}

const placeOf = (number: number): string => `session_history/${number}`

function toRow(vault: Vault, session: string, { number, at, from, to, cause, reason }: Change): Row {
  const sealed = vault.seal(session, placeOf(number), reason)
  return { session, slot: number % KEPT, number, at, from_state: from, to_state: to, cause, reason: sealed }
}

function fromRow(vault: Vault, row: Row): Change {
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
