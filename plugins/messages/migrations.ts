import { defineTables, type Migration, sessionColumn } from 'wamux/plugin'

const store = defineTables({
  // One row per state that a message reached: receipts arrive in any order, and none reverts another.
  messages_states(table) {
    sessionColumn(table).notNullable()
    table.text('message').notNullable()
    table.boolean('from_me').notNullable()
    table.text('state').notNullable()
    // Sealed.
    table.binary('chat').notNullable()
    table.text('time').notNullable()
    table.bigInteger('logged').notNullable()
    table.primary(['session', 'message', 'from_me', 'state'])
    table.index(['logged'])
  },
  messages_polls(table) {
    sessionColumn(table).notNullable()
    table.text('message').notNullable()
    // Index of the author's JIDs, phone and LID: two authors may choose the same id.
    table.text('authors').notNullable()
    // Sealed: authors, question, options, and the secret that decrypts its votes.
    table.binary('poll').notNullable()
    table.bigInteger('logged').notNullable()
    table.primary(['session', 'message', 'authors'])
  },
  messages_reuploads(table) {
    sessionColumn(table).notNullable()
    // Index of key and hash.
    table.text('file').notNullable()
    // Sealed: the new location, to which the phone uploaded the file after the first had expired.
    table.binary('path').notNullable()
    table.bigInteger('logged').notNullable()
    table.primary(['session', 'file'])
  },
})

const polls = defineTables({
  messages_tallies(table) {
    sessionColumn(table).notNullable()
    table.text('poll').notNullable()
    // Index: two chats may have a poll with the same id.
    table.text('chat').notNullable()
    // Sealed: chat, question, options.
    table.binary('content').notNullable()
    table.bigInteger('logged').notNullable()
    table.primary(['session', 'poll', 'chat'])
    table.index(['logged'])
  },
  // One row per vote, because they arrive in any order: the last one of each voter counts.
  messages_votes(table) {
    sessionColumn(table).notNullable()
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
  },
})

export const migrations: Record<string, Migration> = { '001_store': store, '002_polls': polls }
