import { firstTables, sessionColumn } from 'wamux/plugin'

export const migrations = firstTables({
  proxy_sessions(table) {
    sessionColumn(table).primary()
    // Sealed: the address has a password.
    table.binary('url').notNullable()
  },
})
