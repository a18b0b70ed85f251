import { defineTables, type Migration, sessionColumn } from 'wamux/plugin'

const jobs = defineTables({
  jobs_jobs(table) {
    table.text('queue').notNullable()
    table.text('id').notNullable()
    // Null for none.
    sessionColumn(table)
    // JSON, sealed if there is a session.
    table.binary('data').notNullable()
    // Milliseconds since 1970.
    table.bigInteger('run_at').notNullable()
    table.integer('attempts').notNullable()
    table.boolean('dead').notNullable()
    // Error of the last attempt, sealed like the data; null before the first.
    table.binary('error')
    table.primary(['queue', 'id'])
    table.index(['dead', 'run_at'])
  },
  jobs_runs(table) {
    // `<plugin>.<schedule>`
    table.text('name').primary()
    // When the last run was planned and when it ended.
    table.bigInteger('planned').notNullable()
    table.bigInteger('ended').notNullable()
    // '' if it succeeded.
    table.text('error').notNullable()
  },
})

/** For finding the sessions with due jobs, and the oldest job of each, without reading the jobs behind it. */
const turns: Migration = {
  async up(knex) {
    await knex.schema.alterTable('jobs_jobs', (table) => {
      table.dropIndex(['dead', 'run_at'])
      table.index(['dead', 'run_at', 'queue', 'session'])
      table.index(['queue', 'session', 'dead', 'run_at'])
    })
  },
  async down(knex) {
    await knex.schema.alterTable('jobs_jobs', (table) => {
      table.dropIndex(['queue', 'session', 'dead', 'run_at'])
      table.dropIndex(['dead', 'run_at', 'queue', 'session'])
      table.index(['dead', 'run_at'])
    })
  },
}

/** The order of jobs within a lane, and the ones that an operator requeued. */
const lanes: Migration = {
  async up(knex) {
    await knex.schema.alterTable('jobs_jobs', (table) => {
      // Null for none.
      table.text('lane')
      // Position within the lane, lowest first; jobs with the same position in the order of addition.
      table.bigInteger('place').notNullable().defaultTo(0)
      table.bigInteger('added').notNullable().defaultTo(0)
      // Until the next attempt has failed.
      table.boolean('revived').notNullable().defaultTo(false)
      table.index(['queue', 'session', 'lane', 'dead', 'place'])
    })
  },
  async down(knex) {
    await knex.schema.alterTable('jobs_jobs', (table) => {
      table.dropIndex(['queue', 'session', 'lane', 'dead', 'place'])
      table.dropColumns('lane', 'place', 'added', 'revived')
    })
  },
}

export const migrations: Record<string, Migration> = {
  '001_jobs': jobs,
  '002_turns': turns,
  '003_lanes': lanes,
}
