import { setTimeout as sleep } from 'node:timers/promises'
import type { PluginDb, Row } from 'wamux/plugin'
import type { Found, VersionSource } from './sources.ts'

/** What all processes that share the database know about the version. Times are milliseconds since 1970, 0 for never. */
export interface KnownVersion {
  /** 0 before the first successful look-up. */
  readonly revision: number
  readonly source: VersionSource
  readonly fetched: number
  /** When the last look-up began, and when it ended. */
  readonly began: number
  readonly ended: number
  /** Why it failed; '' if it did not. */
  readonly problem: string
  /** The end announced by the network, and the version that ends. */
  readonly expires: number
  readonly expiresVersion: string
}

export interface KnownVersions {
  read(): Promise<KnownVersion>
  /** Begins a look-up for all processes; false if one is running or was begun after that time, by any process. */
  begin(after: number): Promise<boolean>
  end(found: Found, textOf: (revision: number) => string): Promise<void>
  /** Resolves when no process is looking the version up. */
  settled(signal: AbortSignal): Promise<void>
  /** @param at 0 withdraws the announcement. */
  announce(version: string, at: number): Promise<void>
}

/** A look-up that takes longer never ends: its process was killed. */
const ABANDONED_MS = 45_000
const POLL_MS = 200

/** @param network whose version it is: one database may have been used on several. */
export function createKnownVersions(db: PluginDb, network: () => string): KnownVersions {
  const table = db.table('web_version')

  async function read(): Promise<KnownVersion> {
    const row = await db.read<Row>(table).where({ network: network() }).first()
    return fromRow(row ?? {})
  }

  const isRunning = ({ began, ended }: KnownVersion): boolean =>
    ended < began && Math.abs(db.now() - began) < ABANDONED_MS
  const put = (row: Row): Promise<void> =>
    db.write([db.put('web_version', ['network'], [{ network: network(), ...row }])])

  return {
    read,
    begin: (after) =>
      db.transact(async (trx) => {
        const own = { network: network() }
        await trx(table).insert(own).onConflict('network').ignore()
        const row = fromRow((await trx<Row>(table).where(own).forUpdate().first()) ?? {})
        const isAbandoned = row.ended < row.began && !isRunning(row)
        // A time in the future comes from a clock that was wrong.
        const isRecent = row.began > after && row.began <= db.now()
        if (isRunning(row) || (isRecent && !isAbandoned)) return false
        await trx(table).where(own).update({ began: db.now() })
        return true
      }),
    async end(found, textOf) {
      const ended = db.now()
      if ('problem' in found) return put({ ended, problem: found.problem })
      const { revision, source } = found
      return put({ version: textOf(revision), source, fetched: ended, ended, problem: '' })
    },
    async settled(signal) {
      while (isRunning(await read())) await sleep(POLL_MS, undefined, { signal })
    },
    announce: (version, at) => put({ expires: at, expires_version: at > 0 ? version : '' }),
  }
}

function fromRow(row: Row): KnownVersion {
  const number = (column: string): number => Number(row[column] ?? 0)
  const text = (column: string): string => String(row[column] ?? '')
  return {
    revision: Number(text('version').split('.')[2] ?? 0),
    source: (text('source') || 'built-in') as VersionSource,
    fetched: number('fetched'),
    began: number('began'),
    ended: number('ended'),
    problem: text('problem'),
    expires: number('expires'),
    expiresVersion: text('expires_version'),
  }
}
