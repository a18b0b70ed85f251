import type { Migration } from 'wamux/plugin'

const last: Migration = {
  async up(knex) {
    await knex.schema.createTable('chats_last', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      table.text('chat').notNullable()
      table.text('id').notNullable()
      table.boolean('from_me').notNullable()
      // '' in 1:1 chats
      table.text('participant').notNullable()
      // Seconds since 1970
      table.bigInteger('time').notNullable()
      table.primary(['session', 'chat'])
    })
  },
  async down(knex) {
    await knex.schema.dropTable('chats_last')
  },
}

export const migrations: Record<string, Migration> = { '001_last': last }
