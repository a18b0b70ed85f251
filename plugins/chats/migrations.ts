import { defineTables, type Migration, sessionColumn } from 'wamux/plugin'

const last = defineTables({
  chats_last(table) {
    sessionColumn(table).notNullable()
    // Index
    table.text('chat').notNullable()
    // Sealed
    table.binary('key').notNullable()
    // Seconds since 1970
    table.bigInteger('time').notNullable()
    table.primary(['session', 'chat'])
  },
})

export const migrations: Record<string, Migration> = { '001_last': last }
