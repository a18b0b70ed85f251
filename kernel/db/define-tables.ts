import type { Knex } from 'knex'
import type { Migration } from '../types/storage.ts'

/** A migration that creates tables in the given order, and drops them in the reverse one. */
export function defineTables(
  tables: Readonly<Record<string, (table: Knex.CreateTableBuilder, knex: Knex) => void>>,
): Migration {
  return {
    async up(knex) {
      for (const [name, columns] of Object.entries(tables))
        await knex.schema.createTable(name, (table) => columns(table, knex))
    },
    async down(knex) {
      for (const name of Object.keys(tables).reverse()) await knex.schema.dropTable(name)
    },
  }
}

/** A column `session`: deleting a session deletes its rows, and the writer fences them. */
export function sessionColumn(table: Knex.CreateTableBuilder): Knex.ReferencingColumnBuilder {
  return table.text('session').references('id').inTable('sessions').onDelete('CASCADE')
}
