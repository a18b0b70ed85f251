import type { Migration } from 'wamux/plugin'

const rejected: Migration = {
  async up(knex) {
    await knex.schema.createTable('calls_rejected', (table) => {
      // From the offer's event.
      table.text('id').primary()
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      // Milliseconds since 1970.
      table.bigInteger('time').notNullable()
      table.index(['time'])
    })
  },
  async down(knex) {
    await knex.schema.dropTable('calls_rejected')
  },
}

export const migrations: Record<string, Migration> = { '001_rejected': rejected }
