import { firstTables, required } from 'wamux/plugin'

export const migrations = firstTables({
  // Existing chats, which a restriction of new chats does not affect.
  pacing_contacts(table) {
    required(table).session()
    // Index
    table.text('chat').notNullable()
    table.primary(['session', 'chat'])
  },
})
