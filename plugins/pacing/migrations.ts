import type { Migration } from 'wamux/plugin'

/** Existing chats, which a restriction of new chats does not affect. */
const contacts: Migration = {
  async up(knex) {
    await knex.schema.createTable('pacing_contacts', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      // Index
      table.text('chat').notNullable()
      table.primary(['session', 'chat'])
    })
  },
  async down(knex) {
    await knex.schema.dropTable('pacing_contacts')
  },
}

export const migrations: Record<string, Migration> = { '001_contacts': contacts }
