import { defineTables, type Migration, sessionColumn } from 'wamux/plugin'

export const migrations: Record<string, Migration> = {
  '001_requests': defineTables({
    request_log_requests(table) {
      table.bigIncrements('seq')
      sessionColumn(table).notNullable()
      table.text('request').notNullable()
      // Milliseconds since 1970.
      table.bigInteger('at').notNullable()
      table.text('actor').notNullable()
      table.text('method').notNullable()
      table.text('path').notNullable()
      table.integer('status').notNullable()
      table.text('code').notNullable()
      table.integer('ms').notNullable()
      // Sealed JSON; null if bodies are not kept.
      table.binary('body')
      table.unique(['session', 'request'])
      table.index(['session', 'seq'])
      table.index(['at'])
    },
  }),
}
