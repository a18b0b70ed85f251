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

/** The first migration of an owner. By convention times are milliseconds since 1970, and binary columns are sealed. */
export function firstTables(tables: Parameters<typeof defineTables>[0]): Record<string, Migration> {
  return { '001_tables': defineTables(tables) }
}

/** A column `session`: deleting a session deletes its rows, and the writer fences them. */
export function sessionColumn(table: Knex.CreateTableBuilder): Knex.ReferencingColumnBuilder {
  return table.text('session').references('id').inTable('sessions').onDelete('CASCADE')
}

/** An index of the rows that `predicate` selects. SQLite uses it only for a query that repeats the predicate literally. */
export function partialIndex(
  table: Knex.CreateTableBuilder,
  knex: Knex,
  name: string,
  columns: readonly string[],
  predicate: string,
): void {
  table.index([...columns], name, { predicate: knex.whereRaw(predicate) })
}

const TYPES = ['text', 'integer', 'bigInteger', 'boolean', 'binary'] as const

type Columns = { readonly [type in (typeof TYPES)[number] | 'session']: (...names: string[]) => Columns }

/** Columns without null: `required(table).session().text('queue', 'id').binary('data')`. */
export function required(table: Knex.CreateTableBuilder): Columns {
  const columns = {
    session() {
      sessionColumn(table).notNullable()
      return columns
    },
  } as Columns
  const add =
    (type: (typeof TYPES)[number]) =>
    (...names: string[]) => {
      for (const name of names) table[type](name).notNullable()
      return columns
    }
  return Object.assign(columns, Object.fromEntries(TYPES.map((type) => [type, add(type)])))
}
