import type { Migration } from 'wamux/plugin'

const greetings: Migration = {
  async up(knex) {
    await knex.schema.createTable('hello_greetings', (table) => {
      // Deleting a session deletes its rows.
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      // Index
      table.text('person').notNullable()
      // Sealed
      table.binary('chat').notNullable()
      table.primary(['session', 'person'])
    })
  },
  async down(knex) {
    await knex.schema.dropTable('hello_greetings')
  },
}

/** Run in the order of their names. Never change a published migration. */
export const migrations: Record<string, Migration> = { '001_greetings': greetings }
