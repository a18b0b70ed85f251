import type { Migration } from 'wamux/plugin'

/** One row, written by each check of the database. */
const probe: Migration = {
  async up(knex) {
    await knex.schema.createTable('server_probe', (table) => {
      table.integer('id').primary()
      table.bigInteger('at').notNullable()
    })
  },
  async down(knex) {
    await knex.schema.dropTable('server_probe')
  },
}

export const migrations: Record<string, Migration> = { '001_probe': probe }
