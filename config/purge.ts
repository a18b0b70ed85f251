import type { Knex } from 'knex'
import { migratorOf, tablesOf } from '../kernel/db/migrate.ts'
import type { Migration } from '../kernel/types/storage.ts'

/**
 * Reverts all migrations of an owner, and removes its migration table and its cursor in the event log.
 *
 * @returns the removed tables.
 */
export async function purge(
  trx: Knex.Transaction,
  owner: string,
  migrations: Readonly<Record<string, Migration>>,
): Promise<string[]> {
  const before = await tablesOf(trx)
  const migrator = migratorOf(owner, migrations)
  const own = [migrator.tableName, `${migrator.tableName}_lock`]
  if (before.has(migrator.tableName)) {
    await trx.migrate.rollback(migrator, true)
    for (const table of own) await trx.schema.dropTableIfExists(table)
  }
  if (before.has('consumers')) await trx('consumers').where({ consumer: owner }).del()
  const after = await tablesOf(trx)
  return [...before].filter((table) => !after.has(table) && !own.includes(table)).sort()
}
