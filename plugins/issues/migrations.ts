import { defineTables, type Migration } from 'wamux/plugin'

export const migrations: Record<string, Migration> = {
  '001_occurrences': defineTables({
    issues_occurrences(table) {
      table.text('id').primary()
      // The plugin that reports it.
      table.text('plugin').notNullable()
      table.text('cause').notNullable()
      table.text('subject').notNullable()
      // Null for one of the gateway. It references nothing: the end of a removed session's issue is announced too.
      table.text('session')
      // Name of the process that reports it; null if it is whichever serves the session.
      table.text('node')
      // Sealed under the master key: the rest of the issue, and the name of the session.
      table.binary('data').notNullable()
      // Milliseconds since 1970, as are the following.
      table.bigInteger('opened').notNullable()
      // Null while it is open.
      table.bigInteger('closed')
      // When `node` last reported it.
      table.bigInteger('seen').notNullable()
      // What was posted to the operator: nothing, opened, closed.
      table.text('posted').notNullable()
    },
  }),
}
