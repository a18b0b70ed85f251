import type { Migration } from 'wamux/plugin'

const values: Migration = {
  async up(knex) {
    await knex.schema.createTable('session_settings_values', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      table.text('plugin').notNullable()
      // Null where the session has not said so.
      table.boolean('is_on')
      // Sealed JSON.
      table.binary('value').notNullable()
      table.primary(['session', 'plugin'])
    })
  },
  async down(knex) {
    await knex.schema.dropTable('session_settings_values')
  },
}

export const migrations: Record<string, Migration> = { '001_values': values }
