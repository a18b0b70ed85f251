import type { Migration } from 'wamux/plugin'

const quickReplies: Migration = {
  async up(knex) {
    await knex.schema.createTable('business_quick_replies', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      // Index of the id
      table.text('reply').notNullable()
      // Sealed
      table.binary('content').notNullable()
      table.primary(['session', 'reply'])
    })
  },
  async down(knex) {
    await knex.schema.dropTable('business_quick_replies')
  },
}

export const migrations: Record<string, Migration> = { '001_quick_replies': quickReplies }
