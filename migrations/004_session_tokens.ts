import type { Knex } from 'knex'

const COLUMNS = ['labels', 'old_token_mac', 'old_token_until']

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('sessions', (table) => {
    // Sealed JSON; null for none.
    table.binary('labels')
    // After a rotation, the HMAC of the previous token and its expiry (milliseconds since 1970).
    table.text('old_token_mac')
    table.bigInteger('old_token_until')
  })
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('sessions', (table) => table.dropColumns(...COLUMNS))
}
