import { firstTables, required } from 'wamux/plugin'

export const migrations = firstTables({
  status_posts(table) {
    required(table).session().text('message')
    // Sealed: kind, text and audience.
    required(table).binary('content').bigInteger('posted')
    table.primary(['session', 'message'])
    table.index(['posted'])
  },
  status_views(table) {
    required(table).session().text('message')
    // Index of the viewer's JID; '' for the account itself, which saw one of somebody else.
    table.text('viewer').notNullable()
    // Sealed: the JID in both forms, and the time.
    required(table).binary('content').bigInteger('logged')
    table.primary(['session', 'message', 'viewer'])
    table.index(['logged'])
  },
})
