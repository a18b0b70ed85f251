import type { Migration } from 'wamux/plugin'

const live: Migration = {
  async up(knex) {
    await knex.schema.createTable('newsletters_live', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      // Not sealed: newsletters are public, and their JIDs contain no phone numbers.
      table.text('newsletter').notNullable()
      table.primary(['session', 'newsletter'])
    })
  },
  async down(knex) {
    await knex.schema.dropTable('newsletters_live')
  },
}

export const migrations: Record<string, Migration> = { '001_live': live }
