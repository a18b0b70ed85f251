import type { Knex } from 'knex'
import { gatewayError } from '../errors.ts'
import type { Migration } from '../types/storage.ts'

/**
 * Brings one owner's tables up to date. Each owner has a migration table of its own, so that a plugin can
 * be switched off without the others noticing. Names carry no extension: a database made from source is
 * the same as one made from the build.
 */
export async function migrate(
  db: Knex,
  owner: string,
  migrations: Readonly<Record<string, Migration>>,
): Promise<void> {
  const before = owner === 'kernel' ? undefined : await tables(db)
  await db.migrate.latest(configOf(owner, migrations))
  if (!before) return
  const prefix = prefixOf(owner)
  for (const table of await tables(db)) {
    if (before.has(table) || table.startsWith(prefix) || table.startsWith('migrations_')) continue
    throw gatewayError('PLUGIN_TABLE', [owner, table, prefix.slice(0, -1)])
  }
}

/** Takes back everything that an owner's migrations made. */
export async function purge(
  db: Knex,
  owner: string,
  migrations: Readonly<Record<string, Migration>>,
): Promise<void> {
  await db.migrate.rollback(configOf(owner, migrations), true)
}

/** `@acme/wamux-plugin-crm` → `acme_wamux_plugin_crm_` */
export function prefixOf(owner: string): string {
  return `${owner.replace(/[^a-z0-9]+/gi, '_').replace(/^_/, '')}_`
}

function configOf(owner: string, migrations: Readonly<Record<string, Migration>>): Knex.MigratorConfig {
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

async function tables(db: Knex): Promise<Set<string>> {
  const isSqlite = db.client.config.client === 'sqlite3'
  const rows: { name: string }[] = isSqlite
    ? await db('sqlite_master').where({ type: 'table' }).whereNot('name', 'like', 'sqlite_%').select('name')
    : (await db.raw('SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()')).rows
  return new Set(rows.map((row) => row.name))
}
