import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('sessions', (table) => {
    table.text('id').primary()
    // HMAC of the token, for lookups; the token itself is sealed, for listing.
    table.text('token_mac').notNullable().unique()
    table.binary('token').notNullable()
    // The session's own key, wrapped by the master key with that id.
    table.text('key_id').notNullable()
    table.binary('key').notNullable()
    table.text('name').notNullable()
    table.text('os').notNullable()
    table.text('subscribe').notNullable()
    // Sealed: addresses hold secrets, and sessions of one gateway are each other's contacts.
    for (const column of ['webhook', 'jid', 'lid']) table.binary(column).notNullable()
    table.text('network').notNullable()
    // Whether a restart reconnects the client: set by connect, cleared by disconnect and logout.
    table.boolean('wanted').notNullable()
    table.text('created_at').notNullable()
  })
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('sessions')
}
