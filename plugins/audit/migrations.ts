import { firstTables, required } from 'wamux/plugin'

export const migrations = firstTables({
  audit_log(table) {
    // One more than in the previous row: a gap is noticed.
    table.bigInteger('seq').primary()
    table.text('time').notNullable().index()
    for (const column of ['actor', 'address', 'action', 'target', 'result', 'leaves', 'request'])
      table.text(column).notNullable()
    // Hash of the previous row, and its own.
    required(table).text('before', 'hash')
  },
  // Counted across the processes that share a database.
  audit_wrong_tokens(table) {
    required(table).text('kind', 'network').integer('failed')
    // End of the window.
    table.bigInteger('until').notNullable()
    table.primary(['kind', 'network'])
  },
})
