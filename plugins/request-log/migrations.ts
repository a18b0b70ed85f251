import { firstTables, required } from 'wamux/plugin'

export const migrations = firstTables({
  request_log_requests(table) {
    table.bigIncrements('seq')
    required(table).session().text('request')
    required(table)
      .bigInteger('at')
      .text('actor', 'method', 'path')
      .integer('status')
      .text('code')
      .integer('ms')
    // Sealed JSON; null if bodies are not kept.
    table.binary('body')
    table.unique(['session', 'request'])
    table.index(['session', 'seq'])
    table.index(['at'])
  },
})
