import type { Migration } from 'wamux/plugin'

const history: Migration = {
  async up(knex) {
    await knex.schema.createTable('session_history', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      // The number of the change modulo those that are kept: the newest one overwrites the oldest one.
      table.integer('slot').notNullable()
      table.bigInteger('number').notNullable()
      table.bigInteger('at').notNullable()
      table.text('from_state').notNullable()
      table.text('to_state').notNullable()
      table.text('cause').notNullable()
      // Sealed: words of the network may name the account.
      table.binary('reason').notNullable()
      table.primary(['session', 'slot'])
    })
  },
  async down(knex) {
    await knex.schema.dropTable('session_history')
  },
}

export const migrations: Record<string, Migration> = { '001_history': history }
