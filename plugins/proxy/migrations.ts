import type { Migration } from 'wamux/plugin'

const sessions: Migration = {
  async up(knex) {
    await knex.schema.createTable('proxy_sessions', (table) => {
      table.text('session').primary().references('id').inTable('sessions').onDelete('CASCADE')
      // Sealed: the address has a password.
      table.binary('url').notNullable()
    })
  },
  async down(knex) {
    await knex.schema.dropTable('proxy_sessions')
  },
}

export const migrations: Record<string, Migration> = { '001_sessions': sessions }
