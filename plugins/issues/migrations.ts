import { firstTables, required } from 'wamux/plugin'

export const migrations = firstTables({
  issues_occurrences(table) {
    table.text('id').primary()
    // The plugin that reports it.
    required(table).text('plugin', 'cause', 'subject')
    // Null for one of the gateway. It references nothing: the end of a removed session's issue is announced too.
    table.text('session')
    // Name of the process that reports it; null if it is whichever serves the session.
    table.text('node')
    // Sealed under the master key: the rest of the issue, and the name of the session.
    required(table).binary('data').bigInteger('opened')
    // Null while it is open.
    table.bigInteger('closed')
    // When `node` last reported it.
    table.bigInteger('seen').notNullable()
    // What was posted to the operator: nothing, opened, closed.
    table.text('posted').notNullable()
  },
})
