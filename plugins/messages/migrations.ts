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

const polls: Migration = {
  async up(knex) {
    await knex.schema.createTable('messages_tallies', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      table.text('poll').notNullable()
      // Index: two chats may have a poll with the same id.
      table.text('chat').notNullable()
      // Sealed: chat, question, options.
      table.binary('content').notNullable()
      table.bigInteger('logged').notNullable()
      table.primary(['session', 'poll', 'chat'])
      table.index(['logged'])
    })
    // One row per vote, because they arrive in any order: the last one of each voter counts.
    await knex.schema.createTable('messages_votes', (table) => {
      table.text('session').notNullable().references('id').inTable('sessions').onDelete('CASCADE')
      table.text('poll').notNullable()
      table.text('chat').notNullable()
      // Index of the voter's JID.
      table.text('voter').notNullable()
      table.bigInteger('given').notNullable()
      // Sealed: chat, voter, chosen options.
      table.binary('content').notNullable()
      table.bigInteger('logged').notNullable()
      table.primary(['session', 'poll', 'chat', 'voter', 'given'])
      table.index(['logged'])
    })
  },
  async down(knex) {
    for (const table of ['votes', 'tallies']) await knex.schema.dropTable(`messages_${table}`)
  },
}

export const migrations: Record<string, Migration> = { '001_store': store, '002_polls': polls }
