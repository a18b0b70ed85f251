import { defineTables, type Migration, sessionColumn } from 'wamux/plugin'

const history = defineTables({
  session_history(table) {
    sessionColumn(table).notNullable()
    // The number of the change modulo the number kept: the newest overwrites the oldest.
    table.integer('slot').notNullable()
    table.bigInteger('number').notNullable()
    table.bigInteger('at').notNullable()
    table.text('from_state').notNullable()
    table.text('to_state').notNullable()
    table.text('cause').notNullable()
    // Sealed: the network's text may name the account.
    table.binary('reason').notNullable()
    table.primary(['session', 'slot'])
  },
})

/** Versions with a plugin `session-settings` created the same table. */
const settings: Migration = {
  async up(knex) {
    for (const table of ['migrations_session_settings', 'migrations_session_settings_lock'])
      await knex.schema.dropTableIfExists(table)
    if (await knex.schema.hasTable('session_settings_values')) return
    await knex.schema.createTable('session_settings_values', (table) => {
      sessionColumn(table).notNullable()
      table.text('plugin').notNullable()
      // Null if the session has not set it.
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

export const migrations: Record<string, Migration> = { '001_history': history, '002_settings': settings }
