import type { Migration } from 'wamux/plugin'

const store: Migration = {
  async up(knex) {
    await knex.schema.createTable('status_posts', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      table.text('message').notNullable()
      // Sealed: kind, text and audience.
      table.binary('content').notNullable()
      table.bigInteger('posted').notNullable()
      table.primary(['session', 'message'])
      table.index(['posted'])
    })
    await knex.schema.createTable('status_views', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      table.text('message').notNullable()
      // Index of the JID of whoever saw an own post; '' for the account itself, which saw one of somebody else.
      table.text('viewer').notNullable()
      // Sealed: the JID in both forms, and the time.
      table.binary('content').notNullable()
      table.bigInteger('logged').notNullable()
      table.primary(['session', 'message', 'viewer'])
      table.index(['logged'])
    })
  },
  async down(knex) {
    for (const table of ['views', 'posts']) await knex.schema.dropTable(`status_${table}`)
  },
}

export const migrations: Record<string, Migration> = { '001_store': store }
