import type { Migration } from 'wamux/plugin'

const store: Migration = {
  async up(knex) {
    await knex.schema.createTable('labels_labels', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      // Index of the id
      table.text('label').notNullable()
      // Sealed
      table.binary('content').notNullable()
      table.primary(['session', 'label'])
    })
    await knex.schema.createTable('labels_items', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      // Index of label, chat and message; pages are in its order
      table.text('item').notNullable()
      table.text('label').notNullable()
      table.text('chat').notNullable()
      // chat or message
      table.text('kind').notNullable()
      // Sealed
      table.binary('content').notNullable()
      table.primary(['session', 'item'])
    })
  },
  async down(knex) {
    for (const table of ['items', 'labels']) await knex.schema.dropTable(`labels_${table}`)
  },
}

export const migrations: Record<string, Migration> = { '001_store': store }
