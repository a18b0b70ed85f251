import { defineTables, type Migration, sessionColumn } from 'wamux/plugin'

const links = defineTables({
  link_page_links(table) {
    // SHA-256 (hex) of the token, which has 256 random bits.
    table.text('id').primary()
    sessionColumn(table).notNullable()
    // SHA-256 (hex) of the cookie of the browser that opened it; '' until then.
    table.text('holder').notNullable()
    // '' for the browser's preference.
    table.text('language').notNullable()
    // new, opened, linked, revoked
    table.text('state').notNullable()
    // Milliseconds since 1970.
    table.bigInteger('expires_at').notNullable()
    table.index(['session'], 'link_page_session')
  },
})

/** The key that created a link, with which the link ends. */
const creators: Migration = {
  async up(knex) {
    await knex.schema.alterTable('link_page_links', (table) => {
      // '' for a token.
      table.text('creator').notNullable().defaultTo('')
    })
  },
  async down(knex) {
    await knex.schema.alterTable('link_page_links', (table) => table.dropColumns('creator'))
  },
}

export const migrations: Record<string, Migration> = { '001_links': links, '002_creators': creators }
