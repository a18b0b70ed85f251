import { defineTables, type Migration, sessionColumn } from 'wamux/plugin'

/** One row, written by each check of the database. */
const probe = defineTables({
  server_probe(table) {
    table.integer('id').primary()
    table.bigInteger('at').notNullable()
  },
})

/** Operators' tasks for consumers in sessions that another process may serve. */
const consumerTasks = defineTables({
  server_consumer_tasks(table) {
    table.text('consumer').notNullable()
    sessionColumn(table).notNullable()
    // The dead letter to retry; 0 to move the cursor to `seq`.
    table.bigInteger('letter').notNullable()
    table.bigInteger('seq').notNullable()
    table.primary(['consumer', 'session', 'letter'])
  },
})

export const migrations: Record<string, Migration> = {
  '001_probe': probe,
  '002_consumer_tasks': consumerTasks,
}
