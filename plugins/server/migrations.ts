import { firstTables, required } from 'wamux/plugin'

export const migrations = firstTables({
  // One row, written by each check of the database.
  server_probe(table) {
    table.integer('id').primary()
    table.bigInteger('at').notNullable()
  },
  // Operators' tasks for consumers in sessions that another process may serve.
  server_consumer_tasks(table) {
    required(table).text('consumer').session()
    // The dead letter to retry; 0 to move the cursor to `seq`.
    required(table).bigInteger('letter', 'seq')
    table.primary(['consumer', 'session', 'letter'])
  },
})
