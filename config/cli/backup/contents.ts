import { commandFailed, isGatewayError, reasonOf } from '../../errors.ts'
import { openSqliteFile, type SqliteFile } from './sqlite-file.ts'

/** The contents of a database copy, as far as a restore needs them. */
export interface Contents {
  readonly sessions: readonly { id: string; kid: string; wrapped: Buffer }[]
  /** Ids of the master keys that its sessions need. */
  readonly keyIds: readonly string[]
  /** Applied migrations, by the table that lists them. */
  readonly steps: ReadonlyMap<string, readonly string[]>
  /** When its last event was logged; undefined without events. */
  readonly lastEvent: Date | undefined
}

/** Reads a SQLite file that no process uses. Rejects COMMAND_FAILED if it is damaged or not a database of wamux. */
export async function readContents(file: string): Promise<Contents> {
  const copy = await openSqliteFile(file)
  try {
    await assertWhole(copy)
    const tables = await copy.all<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'migrations\\_%' ESCAPE '\\'",
    )
    const steps = new Map<string, string[]>()
    for (const { name } of tables) {
      if (name.endsWith('_lock')) continue
      const rows = await copy.all<{ name: string }>(`SELECT name FROM "${name}" ORDER BY id`)
      steps.set(
        name,
        rows.map((row) => row.name),
      )
    }
    if (!steps.has('migrations_kernel')) throw notOurs('it has no tables of wamux')
    const sessions = await copy.all<Contents['sessions'][number]>(
      'SELECT id, key_id AS kid, key AS wrapped FROM sessions ORDER BY created_at',
    )
    const [last] = await copy.all<{ logged: number | null }>('SELECT max(logged) AS logged FROM events')
    return {
      sessions,
      keyIds: [...new Set(sessions.map(({ kid }) => kid))],
      steps,
      lastEvent: last?.logged ? new Date(last.logged) : undefined,
    }
  } catch (cause) {
    if (isGatewayError(cause) && cause.code === 'COMMAND_FAILED') throw cause
    throw notOurs(reasonOf(cause))
  } finally {
    await copy.close()
  }

  function notOurs(reason: string): Error {
    return commandFailed(`${file} can not be used: ${reason}`)
  }

  async function assertWhole({ all }: SqliteFile): Promise<void> {
    const found = await all<{ integrity_check: string }>('PRAGMA integrity_check(3)')
    if (found[0]?.integrity_check !== 'ok')
      throw notOurs(`it is damaged: ${found.map((row) => row.integrity_check).join('; ')}`)
    const orphans = await all<{ table: string }>('PRAGMA foreign_key_check')
    if (orphans.length > 0)
      throw notOurs(
        `it is damaged: ${orphans.length} rows of ${orphans[0]?.table} have lost what they refer to`,
      )
  }
}
