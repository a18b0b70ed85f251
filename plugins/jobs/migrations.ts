import { firstTables, required, sessionColumn } from 'wamux/plugin'

export const migrations = firstTables({
  jobs_jobs(table) {
    required(table).text('queue', 'id')
    // Null for none.
    sessionColumn(table)
    // JSON, sealed if there is a session.
    required(table).binary('data').bigInteger('run_at').integer('attempts').boolean('dead')
    // Error of the last attempt, sealed like the data; null before the first.
    table.binary('error')
    // Null for none; within it, the position, lowest first, and jobs of one position in the order of addition.
    table.text('lane')
    table.bigInteger('place').notNullable().defaultTo(0)
    table.bigInteger('added').notNullable().defaultTo(0)
    // Requeued by an operator, until the next attempt has failed.
    table.boolean('revived').notNullable().defaultTo(false)
    table.primary(['queue', 'id'])
    // The sessions with due jobs, and the oldest job of each, without the jobs behind it.
    table.index(['dead', 'run_at', 'queue', 'session'])
    table.index(['queue', 'session', 'dead', 'run_at'])
    table.index(['queue', 'session', 'lane', 'dead', 'place'])
  },
  jobs_runs(table) {
    // `<plugin>.<schedule>`
    table.text('name').primary()
    // When the last run was planned and when it ended.
    required(table).bigInteger('planned', 'ended')
    // '' if it succeeded.
    table.text('error').notNullable()
  },
})
