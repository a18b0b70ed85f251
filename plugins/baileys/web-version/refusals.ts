import type { PluginDb, Row } from 'wamux/plugin'

/** A session that the network refused as outdated and that has not been open since. */
export interface VersionRefusal {
  readonly version: string
  /** Consecutive refusals. */
  readonly count: number
  /** Time of the last refusal, milliseconds since 1970. */
  readonly at: number
  /** Whether a phone has linked it; otherwise a person is waiting for its code. */
  readonly isLinked: boolean
  /** When it may log in again, milliseconds since 1970; 0 if it has no turn yet. */
  readonly turn: number
}

/** Stored, so that after a restart or a move the next process continues from here. */
export interface VersionRefusals {
  find(session: string): Promise<VersionRefusal | undefined>
  /** @returns the number of consecutive refusals. */
  add(session: string, version: string, isLinked: boolean): Promise<number>
  /** Assigns the session its own second, random within the given time from now, or the next free one. */
  takeTurn(session: string, withinMs: number): Promise<number>
  remove(session: string): Promise<void>
  /** Number of sessions that were refused again after a look-up. */
  count(): Promise<number>
}

/** No two logins share a second, whichever processes open them. */
const TURN_MS = 1_000

/** @param network whose row of versions all processes lock while they take a turn. */
export function createRefusals(db: PluginDb, network: () => string): VersionRefusals {
  const table = db.table('refusals')
  const find = async (session: string): Promise<VersionRefusal | undefined> => {
    const row = await db.read<Row>(table).where({ session }).first()
    return row && fromRow(row)
  }
  return {
    find,
    async add(session, version, linked) {
      const count = ((await find(session))?.count ?? 0) + 1
      const row = { session, version, count, at: db.now(), linked, turn: 0 }
      await db.write([db.put('refusals', ['session'], [row])])
      return count
    },
    takeTurn: (session, withinMs) =>
      db.transact(
        async (trx) => {
          // The row that all processes lock.
          const row = { network: network() }
          await trx(db.table('web_version')).insert(row).onConflict('network').ignore()
          await trx(db.table('web_version')).where(row).forUpdate().select('network')
          const now = db.now()
          const rows = await trx<Row>(table).where('turn', '>=', now).select('turn')
          const taken = new Set(rows.map(({ turn }) => Math.floor(Number(turn) / TURN_MS)))
          // The current second may be taken: a session that has just opened has left no row.
          let second = Math.floor((now + Math.random() * withinMs) / TURN_MS) + 1
          while (taken.has(second)) second += 1
          await trx(table)
            .where({ session })
            .update({ turn: second * TURN_MS })
          return second * TURN_MS
        },
        { session },
      ),
    async remove(session) {
      await db.write([db.remove('refusals', ['session'], [{ session }])])
    },
    async count() {
      const [row] = (await db.read(table).where('count', '>', 1).count({ count: '*' })) as Row[]
      return Number(row?.['count'] ?? 0)
    },
  }
}

function fromRow(row: Row): VersionRefusal {
  return {
    version: String(row['version']),
    count: Number(row['count']),
    at: Number(row['at']),
    isLinked: Boolean(row['linked']),
    turn: Number(row['turn']),
  }
}
