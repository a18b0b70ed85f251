import { defineTables, type Migration, sessionColumn } from 'wamux/plugin'

const greetings = defineTables({
  hello_greetings(table) {
    // Deleting a session deletes its rows.
    sessionColumn(table).notNullable()
    // Index
    table.text('person').notNullable()
    // Sealed
    table.binary('chat').notNullable()
    table.primary(['session', 'person'])
  },
})

/** Run in the order of their names. Never change a published migration. */
export const migrations: Record<string, Migration> = { '001_greetings': greetings }
