import { firstTables, required } from 'wamux/plugin'

export const migrations = firstTables({
  dashboard_logins(table) {
    // SHA-256 (hex) of the cookie, which has 256 random bits.
    table.text('id').primary()
    // The actor whose token it has: `admin`, the id of a session, or `key:` and the id of a key.
    table.text('owner').notNullable()
    // The sealed token of the login.
    required(table).binary('credential').bigInteger('expires_at')
    table.index(['owner', 'expires_at'])
    table.index(['expires_at'])
  },
})
