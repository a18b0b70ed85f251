import { firstTables, required } from 'wamux/plugin'

export const migrations = firstTables({
  chats_last(table) {
    required(table).session()
    // Index
    required(table).text('chat').binary('key')
    // Seconds since 1970
    table.bigInteger('time').notNullable()
    table.primary(['session', 'chat'])
  },
})
