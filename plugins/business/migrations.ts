import { defineTables, type Migration, sessionColumn } from 'wamux/plugin'

const quickReplies = defineTables({
  business_quick_replies(table) {
    sessionColumn(table).notNullable()
    // Index of the id
    table.text('reply').notNullable()
    // Sealed
    table.binary('content').notNullable()
    table.primary(['session', 'reply'])
  },
})

export const migrations: Record<string, Migration> = { '001_quick_replies': quickReplies }
