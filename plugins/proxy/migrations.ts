import { defineTables, type Migration, sessionColumn } from 'wamux/plugin'

const sessions = defineTables({
  proxy_sessions(table) {
    sessionColumn(table).primary()
    // Sealed: the address has a password.
    table.binary('url').notNullable()
  },
})

export const migrations: Record<string, Migration> = { '001_sessions': sessions }
