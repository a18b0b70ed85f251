import { firstTables, required } from 'wamux/plugin'

export const migrations = firstTables({
  session_history(table) {
    required(table).session()
    // The number of the change modulo the number kept: the newest overwrites the oldest.
    required(table).integer('slot').bigInteger('number', 'at').text('from_state', 'to_state', 'cause')
    // Sealed: the network's text may name the account.
    table.binary('reason').notNullable()
    table.primary(['session', 'slot'])
  },
  session_settings_values(table) {
    required(table).session().text('plugin')
    // Null if the session has not set it.
    table.boolean('is_on')
    // Sealed JSON.
    table.binary('value').notNullable()
    table.primary(['session', 'plugin'])
  },
})
