import { defineTables, type Migration, sessionColumn } from 'wamux/plugin'

const store = defineTables({
  status_posts(table) {
    sessionColumn(table).notNullable()
    table.text('message').notNullable()
    // Sealed: kind, text and audience.
    table.binary('content').notNullable()
    table.bigInteger('posted').notNullable()
    table.primary(['session', 'message'])
    table.index(['posted'])
  },
  status_views(table) {
    sessionColumn(table).notNullable()
    table.text('message').notNullable()
    // Index of the viewer's JID; '' for the account itself, which saw one of somebody else.
    table.text('viewer').notNullable()
    // Sealed: the JID in both forms, and the time.
    table.binary('content').notNullable()
    table.bigInteger('logged').notNullable()
    table.primary(['session', 'message', 'viewer'])
    table.index(['logged'])
  },
})

export const migrations: Record<string, Migration> = { '001_store': store }
