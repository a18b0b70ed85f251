import { firstTables, required } from 'wamux/plugin'

export const migrations = firstTables({
  dashboard_logins(table) {
    // SHA-256 (hex) of the cookie, which has 256 random bits.
    table.text('id').primary()
    // The sealed token of the login.
    required(table).binary('credential').bigInteger('expires_at')
  },
})
