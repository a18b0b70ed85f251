import { firstTables, required, sessionColumn } from 'wamux/plugin'

export const migrations = firstTables({
  chat_log_chats(table) {
    required(table).session()
    // The lane of its events: an index of its JID.
    table.text('chat').notNullable()
    // JSON: its JID in every known form, sealed.
    table.binary('info').notNullable()
    // Time of the newest message.
    table.bigInteger('last_seq').notNullable()
    // Seqs up to which messages were read, and were deleted with the chat.
    table.bigInteger('read_seq').notNullable().defaultTo(0)
    table.bigInteger('deleted_seq').notNullable().defaultTo(0)
    table.primary(['session', 'chat'])
    table.index(['session', 'last_seq'])
  },
  chat_log_messages(table) {
    required(table).session().bigInteger('seq').text('chat')
    // message, undecryptable; edit, revoke, reaction: changes of another message.
    table.text('kind').notNullable()
    // Index of the id of the message, or of the message that a change applies to.
    required(table).text('target').boolean('incoming')
    table.primary(['session', 'seq'])
    table.index(['session', 'chat', 'seq'])
    table.index(['session', 'target'])
  },
  // Group subjects, which messages lack.
  chat_log_names(table) {
    required(table).session().text('chat').binary('name')
    table.primary(['session', 'chat'])
  },
  // Sessions whose log is being read from its beginning.
  chat_log_sessions(table) {
    sessionColumn(table).primary()
  },
  // Messages of groups that members have shared: many in one line of the log, and older than it.
  chat_log_shared(table) {
    required(table).session()
    // The line, and the number of the message in it.
    required(table).bigInteger('seq').integer('item').text('chat', 'target')
    // Of the message.
    table.bigInteger('time').notNullable()
    // Among the messages of the log: shared.ts positionOf.
    table.bigInteger('position').notNullable()
    table.primary(['session', 'seq', 'item'])
    table.index(['session', 'chat', 'position'])
    table.index(['session', 'position'])
  },
})
