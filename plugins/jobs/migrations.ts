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

export const migrations: Record<string, Migration> = { '001_jobs': jobs }
