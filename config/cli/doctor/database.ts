import { prefixOf } from '../../../kernel/db/migrate.ts'
import type { Plugin } from '../../../kernel/types/plugin.ts'
import { migrations } from '../../../migrations/index.ts'
import type { LoadedConfig } from '../../load.ts'
import type { Config } from '../../schema.ts'
import { type Finding, fail, ok, skip, warn } from './finding.ts'
import type { DataReader } from './reader.ts'

/** Checks that the database is reachable, has readable tables and is writable, without writing. */
export async function checkDatabase(reader: DataReader | undefined, { dataDir }: Config): Promise<Finding> {
  if (!reader) return ok('database', `SQLite in ${dataDir}, created at the first start`)
  const refusal = await reader.refusal()
  if (refusal)
    return fail('database', `${reader.label}: ${refusal}`, 'give the user of the gateway that right')
  const count = (await reader.tables()).size
  return ok('database', `${reader.label}, ${count} tables, writable`)
}

/** Compares the migrations of the kernel and all enabled plugins with the tables that record them. */
export async function checkMigrations(reader: DataReader, { plugins }: LoadedConfig): Promise<Finding> {
  if (!(await reader.tables()).has(tableOf('kernel')))
    return skip('migrations', 'the first start creates all tables')
  const owners = new Map<string, string[]>([['kernel', Object.keys(migrations)]])
  for (const { plugin } of plugins) {
    const { name, migrations: own = {} } = (plugin as Plugin).spec
    owners.set(name, Object.keys(own))
  }
  const pending: string[] = []
  const unknown: string[] = []
  for (const [owner, names] of owners) {
    const done = (await reader.rows(tableOf(owner))).map(({ name }) => String(name))
    pending.push(...names.filter((name) => !done.includes(name)).map((name) => `${owner} ${name}`))
    unknown.push(...done.filter((name) => !names.includes(name)).map((name) => `${owner} ${name}`))
  }
  if (unknown.length > 0) {
    const advice =
      'a newer version has used this database: install that version, or restore an earlier backup'
    return fail('migrations', `not known here: ${unknown.join(', ')}`, advice)
  }
  if (pending.length === 0) return ok('migrations', 'all are applied')
  const advice = 'the next start applies them; back up the database first'
  return warn('migrations', `not applied yet: ${pending.join(', ')}`, advice)
}

function tableOf(owner: string): string {
  return `migrations_${prefixOf(owner).slice(0, -1)}`
}
