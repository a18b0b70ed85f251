import { firstTables, required, sessionColumn } from 'wamux/plugin'

export const migrations = firstTables({
  keys_keys(table) {
    table.text('id').primary()
    // SHA-256 (hex) of the key, which has 192 random bits.
    table.text('hash').notNullable().unique()
    // After a rotation, the hash of the previous key and its expiry.
    table.text('old_hash').unique()
    table.bigInteger('old_until')
    // The session whose token created it; null for the admin.
    table.text('owner').references('id').inTable('sessions').onDelete('CASCADE')
    // Its only session; null for several.
    sessionColumn(table)
    table.text('name').notNullable()
    // Its first characters, for recognition.
    table.text('hint').notNullable()
    // JSON: the scopes, and the choice among several sessions.
    required(table).text('scopes', 'sessions')
    // Sealed JSON of JIDs; null for all chats.
    table.binary('chats')
    // expires_at is null for never, last_use for not yet.
    table.bigInteger('created_at').notNullable()
    table.bigInteger('expires_at')
    table.bigInteger('last_use')
    // Time of the last change except of last_use, after which other processes read the keys again.
    table.bigInteger('changed_at').notNullable()
  },
})
