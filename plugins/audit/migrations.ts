import { defineTables, type Migration } from 'wamux/plugin'

const TABLE = 'audit_log'
/** Its name in versions in which the kernel owned it. */
const OLD = 'audit'

export const migrations: Record<string, Migration> = {
  '001_log': {
    async up(knex) {
      if (await knex.schema.hasTable(OLD)) {
        await knex.schema.renameTable(OLD, TABLE)
        return
      }
      await knex.schema.createTable(TABLE, (table) => {
        // One more than in the previous row: a gap is noticed.
        table.bigInteger('seq').primary()
        table.text('time').notNullable().index()
        table.text('actor').notNullable()
        table.text('address').notNullable()
        table.text('action').notNullable()
        table.text('target').notNullable()
        table.text('result').notNullable()
        table.text('request').notNullable()
        // Hash of the previous row.
        table.text('before').notNullable()
        table.text('hash').notNullable()
      })
    },
    async down(knex) {
      await knex.schema.dropTable(TABLE)
    },
  },
  // Counted across the processes that share a database.
  '002_wrong_tokens': defineTables({
    audit_wrong_tokens(table) {
      table.text('kind').notNullable()
      table.text('network').notNullable()
      table.integer('failed').notNullable()
      // End of the window, milliseconds since 1970.
      table.bigInteger('until').notNullable()
      table.primary(['kind', 'network'])
    },
  }),
}
