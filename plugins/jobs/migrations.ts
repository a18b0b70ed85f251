import type { Migration } from 'wamux/plugin'

const jobs: Migration = {
  async up(knex) {
    await knex.schema.createTable('jobs_jobs', (table) => {
      table.text('queue').notNullable()
      table.text('id').notNullable()
      // Null for none.
      table.text('session').references('id').inTable('sessions').onDelete('CASCADE')
      // JSON, sealed where there is a session.
      table.binary('data').notNullable()
      // Milliseconds since 1970.
      table.bigInteger('run_at').notNullable()
      table.integer('attempts').notNullable()
      table.boolean('dead').notNullable()
      // Of the last try, sealed like the data; null before it.
      table.binary('error')
      table.primary(['queue', 'id'])
      table.index(['dead', 'run_at'])
    })
    await knex.schema.createTable('jobs_runs', (table) => {
      // `<plugin>.<schedule>`
      table.text('name').primary()
      // Of the last run: when it was planned and when it ended.
      table.bigInteger('planned').notNullable()
      table.bigInteger('ended').notNullable()
      // '' where it succeeded.
      table.text('error').notNullable()
    })
  },
  async down(knex) {
    await knex.schema.dropTable('jobs_runs')
    await knex.schema.dropTable('jobs_jobs')
  },
}

/** For the sessions that have due jobs, and for the oldest job of each, both without reading the jobs behind it. */
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

export const migrations: Record<string, Migration> = { '001_jobs': jobs, '002_turns': turns }
