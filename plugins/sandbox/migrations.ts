import type { Migration } from 'wamux/plugin'

/** How far the clock is ahead, in one row. */
const clock: Migration = {
  async up(knex) {
    await knex.schema.createTable('sandbox_clock', (table) => {
      table.integer('id').primary()
      // Milliseconds.
      table.bigInteger('ahead').notNullable()
    })
  },
  async down(knex) {
    await knex.schema.dropTable('sandbox_clock')
  },
}

export const migrations: Record<string, Migration> = { '001_clock': clock }
