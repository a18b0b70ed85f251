import type { Migration } from 'wamux/plugin'

const people: Migration = {
  async up(knex) {
    await knex.schema.createTable('contacts_people', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      // The phone JID; the LID where no number is known
      table.text('jid').notNullable()
      for (const column of ['lid', 'first_name', 'full_name', 'push_name', 'business_name'])
        table.text(column).notNullable().defaultTo('')
      table.primary(['session', 'jid'])
    })
    await knex.schema.createTable('contacts_lists', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      table.text('list').notNullable()
      table.text('jid').notNullable()
      table.primary(['session', 'list', 'jid'])
    })
  },
  async down(knex) {
    await knex.schema.dropTable('contacts_lists')
    await knex.schema.dropTable('contacts_people')
  },
}

export const migrations: Record<string, Migration> = { '001_people': people }
