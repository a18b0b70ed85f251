import { defineTables, type Migration, sessionColumn } from 'wamux/plugin'

/** Existing chats, which a restriction of new chats does not affect. */
const contacts = defineTables({
  pacing_contacts(table) {
    sessionColumn(table).notNullable()
    // Index
    table.text('chat').notNullable()
    table.primary(['session', 'chat'])
  },
})

export const migrations: Record<string, Migration> = { '001_contacts': contacts }
