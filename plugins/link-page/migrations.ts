import { firstTables, required } from 'wamux/plugin'

export const migrations = firstTables({
  link_page_links(table) {
    // SHA-256 (hex) of the token, which has 256 random bits.
    table.text('id').primary()
    required(table).session()
    // SHA-256 (hex) of the cookie of the browser that opened it; '' until then.
    table.text('holder').notNullable()
    // '' for the browser's preference.
    table.text('language').notNullable()
    // new, opened, linked, revoked
    required(table).text('state').bigInteger('expires_at')
    // The key that created it, with which it ends; '' for a token.
    table.text('creator').notNullable()
    table.index(['session'], 'link_page_session')
  },
})
