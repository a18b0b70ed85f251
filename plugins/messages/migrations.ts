import type { Migration } from 'wamux/plugin'

const store: Migration = {
  async up(knex) {
    // One row per state that a message reached: receipts arrive in any order, and none reverts another.
    await knex.schema.createTable('messages_states', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      table.text('message').notNullable()
      table.boolean('from_me').notNullable()
      table.text('state').notNullable()
      // Sealed.
      table.binary('chat').notNullable()
      table.text('time').notNullable()
      table.bigInteger('logged').notNullable()
      table.primary(['session', 'message', 'from_me', 'state'])
      table.index(['logged'])
    })
    await knex.schema.createTable('messages_polls', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      table.text('message').notNullable()
      // Index of the author's JIDs, phone and LID: two authors may choose the same id.
      table.text('authors').notNullable()
      // Sealed: authors, question, options, and the secret that decrypts its votes.
      table.binary('poll').notNullable()
      table.bigInteger('logged').notNullable()
      table.primary(['session', 'message', 'authors'])
    })
    await knex.schema.createTable('messages_reuploads', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      // Index of key and hash.
      table.text('file').notNullable()
      // Sealed: the new location, to which the phone uploaded the file after the first had expired.
      table.binary('path').notNullable()
      table.bigInteger('logged').notNullable()
      table.primary(['session', 'file'])
    })
  },
  async down(knex) {
    for (const table of ['reuploads', 'polls', 'states']) await knex.schema.dropTable(`messages_${table}`)
  },
}

export const migrations: Record<string, Migration> = { '001_store': store }
