import type { Migration } from 'wamux/plugin'

/** One row, written by each check of the database. */
const probe: Migration = {
  async up(knex) {
    await knex.schema.createTable('server_probe', (table) => {
      table.integer('id').primary()
      table.bigInteger('at').notNullable()
    })
  },
  async down(knex) {
    await knex.schema.dropTable('server_probe')
  },
}

/** Operators' tasks for consumers in sessions that another process may serve. */
const consumerTasks: Migration = {
  async up(knex) {
    await knex.schema.createTable('server_consumer_tasks', (table) => {
      table.text('consumer').notNullable()
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      // The dead letter to retry; 0 to move the cursor to `seq`.
      table.bigInteger('letter').notNullable()
      table.bigInteger('seq').notNullable()
      table.primary(['consumer', 'session', 'letter'])
    })
  },
  async down(knex) {
    await knex.schema.dropTable('server_consumer_tasks')
  },
}

export const migrations: Record<string, Migration> = {
  '001_probe': probe,
  '002_consumer_tasks': consumerTasks,
}
