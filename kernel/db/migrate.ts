import type { Knex } from 'knex'
import { gatewayError, reasonOf } from '../errors.ts'
import type { Migration } from '../types/storage.ts'

type Migrations = Readonly<Record<string, Migration>>

/**
 * Migrates one owner's tables, all or nothing. Each owner has its own migration table, so a plugin can be switched off
 * without affecting others. Names have no file extension: a database created from source equals one created from the build.
 */
export async function migrate(db: Knex, owner: string, migrations: Migrations): Promise<void> {
  if (await isCurrent(db, owner, migrations)) return
  await db.transaction(async (trx) => {
    // A change of a large table takes its time. When two processes start at once, the second finds the work done.
    if (!isSqlite(trx)) await trx.raw('SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0')
    if (!isSqlite(trx))
      await trx.raw("SELECT pg_advisory_xact_lock(hashtext('wamux migrate'), hashtext(current_schema()))")
    const before = await tablesOf(trx)
    await trx.migrate.latest(migratorOf(owner, migrations)).catch((cause: unknown) => {
      const [, newer] = /following files are missing: (.*)/.exec(reasonOf(cause)) ?? []
      throw newer ? gatewayError('SCHEMA_NEWER', [owner, newer], { cause }) : cause
    })
    if (owner === 'kernel') return
    const prefix = prefixOf(owner)
    for (const table of await tablesOf(trx)) {
      if (before.has(table) || table.startsWith(prefix) || table.startsWith('migrations_')) continue
      throw gatewayError('PLUGIN_TABLE', [owner, table, prefix.slice(0, -1)])
    }
  })
}

/** Most starts have nothing to migrate: two queries show it, where knex runs a transaction of a dozen statements for each owner. */
async function isCurrent(db: Knex, owner: string, migrations: Migrations): Promise<boolean> {
  const { tableName } = migratorOf(owner, migrations)
  if (!(await db.schema.hasTable(tableName))) return false
  const done = new Set<string>(await db(tableName).pluck('name'))
  const names = Object.keys(migrations)
  return done.size === names.length && names.every((name) => done.has(name))
}

/** `@acme/wamux-plugin-crm` → `acme_wamux_plugin_crm_` */
export function prefixOf(owner: string): string {
  return `${owner.replace(/[^a-z0-9]+/gi, '_').replace(/^_/, '')}_`
}

/** How knex runs an owner's migrations. */
export function migratorOf(
  owner: string,
  migrations: Migrations,
): Knex.MigratorConfig & { tableName: string } {
  return {
    tableName: `migrations_${prefixOf(owner).slice(0, -1)}`,
    migrationSource: {
      getMigrations: async () => Object.keys(migrations).sort(),
      getMigrationName: (name: string) => name,
      getMigration: async (name: string) => {
        const migration = migrations[name]
        if (!migration) throw new Error(`no migration ${name}`)
        return migration
      },
    },
  }
}

/** The tables of the database's schema. */
export async function tablesOf(db: Knex): Promise<Set<string>> {
  const rows: { name: string }[] = isSqlite(db)
    ? await db('sqlite_master').where({ type: 'table' }).whereNot('name', 'like', 'sqlite_%').select('name')
    : (await db.raw('SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()')).rows
  return new Set(rows.map((row) => row.name))
}

export function isSqlite(db: Knex): boolean {
  return db.client.dialect === 'sqlite3'
}
