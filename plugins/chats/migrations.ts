import type { Migration } from 'wamux/plugin'

const last: Migration = {
  async up(knex) {
    await knex.schema.createTable('chats_last', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      // Index
      table.text('chat').notNullable()
      // Sealed
      table.binary('key').notNullable()
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
