import { defineTables, required } from '../kernel/db/define-tables.ts'

/** The kernel's own tables. Times are milliseconds since 1970. */
export const tables = defineTables({
  sessions(table) {
    table.text('id').primary()
    // HMAC of the token, for lookups; the token itself is sealed, for listing.
    table.text('token_mac').notNullable().unique()
    table.binary('token').notNullable()
    // After a rotation, the HMAC of the previous token and its expiry.
    table.text('old_token_mac')
    table.bigInteger('old_token_until')
    // The session's own key, wrapped by the master key with that id.
    required(table).text('key_id').binary('key').text('name', 'os', 'subscribe')
    // Sealed: addresses hold secrets, and sessions of one gateway are each other's contacts.
    for (const column of ['webhook', 'jid', 'lid']) table.binary(column).notNullable()
    // Sealed JSON; null for none.
    table.binary('labels')
    table.text('network').notNullable()
    // Whether a restart reconnects the client: set by connect, cleared by disconnect and logout.
    table.boolean('wanted').notNullable()
    // Sealed JSON: the state of a session whose link ended for good; null while it may be connected.
    table.binary('ended')
    table.text('created_at').notNullable()
  },
  events(table) {
    table.bigIncrements('seq')
    table.text('id').notNullable().unique()
    required(table).session().text('class', 'type', 'lane', 'time').binary('body')
    // Retention uses it.
    table.bigInteger('logged').notNullable()
    table.index(['session', 'seq'])
    table.index(['logged'])
  },
  // Where each consumer begins in sessions without a cursor.
  consumers(table) {
    table.text('consumer').primary()
    table.bigInteger('seq').notNullable()
  },
  // The cursor of a consumer in one session.
  cursors(table) {
    table.text('consumer').notNullable()
    // No foreign key: a cursor written while its session is deleted must not fail the other writes of the commit.
    required(table).text('session').bigInteger('seq')
    table.primary(['consumer', 'session'])
  },
  dead_letters(table) {
    required(table).text('consumer', 'session')
    table.bigInteger('seq').notNullable().references('seq').inTable('events').onDelete('CASCADE')
    // Sealed: a plugin's error may quote its input.
    required(table).binary('error').integer('attempts').bigInteger('time')
    table.primary(['seq', 'consumer'])
  },
})
