import type { Kernel, Row } from 'wamux/plugin'

/** A body that the webhook has not accepted yet. */
export interface Held {
  readonly session: string
  /** Of its event, and its number among the bodies of the event. */
  readonly seq: number
  readonly part: number
  /** When it was held, milliseconds since 1970. */
  readonly since: number
}

export interface HeldRow extends Held {
  readonly lane: string
}

/** The bodies that wait, sealed. */
export interface Backlog {
  add(held: readonly (HeldRow & { readonly body: string })[]): Promise<void>
  /** Moves it to another lane. */
  move(held: Held, lane: string): Promise<void>
  /** Undefined where it is not there any more. */
  body(held: Held): Promise<string | undefined>
  /** Oldest first; of one session, or all. */
  load(session?: string): Promise<HeldRow[]>
  remove(held: Held): Promise<void>
  /** It becomes a dead letter. */
  bury(held: Held): Promise<void>
  count(session: string): Promise<{ waiting: number; dead: number }>
  /** Numbers of dead letters by session; of one session, or all. */
  dead(session?: string): Promise<Map<string, number>>
  /** Makes the dead letters of a session wait again. */
  revive(session: string): Promise<void>
  clear(session: string): Promise<void>
}

const KEY = ['session', 'seq', 'part'] as const

export function createBacklog({ db, vault }: Pick<Kernel<unknown>, 'db' | 'vault'>): Backlog {
  const table = db.table('backlog')
  const placeOf = ({ seq, part }: Pick<Held, 'seq' | 'part'>): string => `cloud_api_backlog/${seq}/${part}`
  const keyOf = ({ session, seq, part }: Held): Row => ({ session, seq, part })

  return {
    async add(held) {
      const rows = held.map(({ body, ...row }) => {
        const sealed = vault.seal(row.session, placeOf(row), body)
        return { ...row, body: sealed, dead: false }
      })
      if (rows.length > 0) await db.write([db.put('backlog', KEY, rows)])
    },
    move: (held, lane) => db.write([db.update('backlog', KEY, [{ ...keyOf(held), lane }])]),
    async body(held) {
      const row = await db.read<Row>(table).where(keyOf(held)).first('body')
      return row && vault.open(held.session, placeOf(held), row['body'] as Buffer).toString()
    },
    async load(session) {
      const query = db.read<Row>(table).where({ dead: false }).orderBy(['seq', 'part'])
      if (session) query.where({ session })
      return (await query.select('session', 'seq', 'part', 'lane', 'since')).map(toHeld)
    },
    remove: (held) => db.write([db.remove('backlog', KEY, [keyOf(held)])]),
    bury: (held) => db.write([db.update('backlog', KEY, [{ ...keyOf(held), dead: true }])]),
    async count(session) {
      const rows = await db.read<Row>(table).where({ session }).select('dead')
      const dead = rows.filter((row: Row) => row['dead']).length
      return { waiting: rows.length - dead, dead }
    },
    async dead(session) {
      const query = db.read<Row>(table).where({ dead: true }).groupBy('session')
      if (session) query.where({ session })
      const rows: Row[] = await query.select('session').count({ dead: '*' })
      return new Map(rows.map((row) => [String(row['session']), Number(row['dead'])]))
    },
    async revive(session) {
      await db.transact(
        (trx) => trx(table).where({ session, dead: true }).update({ dead: false, since: Date.now() }),
        { session },
      )
    },
    async clear(session) {
      await db.transact((trx) => trx(table).where({ session }).del(), { session })
    },
  }
}

function toHeld(row: Row): HeldRow {
  return {
    session: String(row['session']),
    seq: Number(row['seq']),
    part: Number(row['part']),
    lane: String(row['lane']),
    since: Number(row['since']),
  }
}
