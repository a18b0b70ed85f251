import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrations as kernel, migrate, openDatabase, purge } from 'wamux/kit'
import type { Plugin } from 'wamux/plugin'
import { reasonOf } from 'wamux/plugin'

/** Runs a plugin's migrations on an empty database: all up, all down, and all up again. */
export async function checkMigrations({ spec: { name, migrations } }: Plugin): Promise<string[]> {
  if (!migrations) return []
  const faults = Object.keys(migrations)
    .filter((step) => !/^\d{3}_[a-z0-9_]+$/.test(step))
    .map((step) => `migration "${step}" must be named like "001_rows", so that the order is clear`)
  const dataDir = mkdtempSync(join(tmpdir(), 'wamux-check-'))
  const { main, close } = await openDatabase({ dataDir })
  const tables = async (): Promise<string[]> =>
    (await main('sqlite_master').where({ type: 'table' }).select<{ name: string }[]>('name')).map(
      (row) => row.name,
    )
  try {
    await migrate(main, 'kernel', kernel)
    const before = await tables()
    await migrate(main, name, migrations)
    await main.transaction((trx) => purge(trx, name, migrations))
    const left = (await tables()).filter((table) => !before.includes(table) && !table.startsWith('sqlite_'))
    if (left.length > 0) faults.push(`the down steps of its migrations leave ${left.join(', ')}`)
    await migrate(main, name, migrations)
  } catch (error) {
    faults.push(`its migrations do not run up, down and up: ${reasonOf(error)}`)
  } finally {
    await close()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return faults
}
