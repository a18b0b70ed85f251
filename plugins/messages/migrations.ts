import { firstTables, required } from 'wamux/plugin'

export const migrations = firstTables({
  // One row per state that a message reached: receipts arrive in any order, and none reverts another.
  messages_states(table) {
    required(table)
      .session()
      .text('message')
      .boolean('from_me')
      .text('state')
      .binary('chat')
      .text('time')
      .bigInteger('logged')
    table.primary(['session', 'message', 'from_me', 'state'])
    table.index(['logged'])
  },
  messages_reuploads(table) {
    required(table).session()
    // Index of key and hash.
    table.text('file').notNullable()
    // Sealed: the new location, to which the phone uploaded the file after the first had expired.
    required(table).binary('path').bigInteger('logged')
    table.primary(['session', 'file'])
  },
  messages_tallies(table) {
    required(table).session().text('poll')
    // Index: two chats may have a poll with the same id.
    table.text('chat').notNullable()
    // Sealed: chat, question, options.
    required(table).binary('content').bigInteger('logged')
    table.primary(['session', 'poll', 'chat'])
    table.index(['logged'])
  },
  // One row per vote, because they arrive in any order: the last one of each voter counts.
  messages_votes(table) {
    required(table).session().text('poll', 'chat')
    // Index of the voter's JID.
    required(table).text('voter').bigInteger('given')
    // Sealed: chat, voter, chosen options.
    required(table).binary('content').bigInteger('logged')
    table.primary(['session', 'poll', 'chat', 'voter', 'given'])
    table.index(['logged'])
  },
})
