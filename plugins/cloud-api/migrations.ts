import { firstTables, required, sessionColumn } from 'wamux/plugin'

export const migrations = firstTables({
  cloud_api_hooks(table) {
    sessionColumn(table).primary()
    // Sealed: address, verify token, app secret.
    table.binary('hook').notNullable()
  },
  // Data that later webhooks about an own message need: the offered choices and the client's data.
  cloud_api_sent(table) {
    required(table).session().text('message').binary('facts').bigInteger('logged')
    table.primary(['session', 'message'])
    table.index(['logged'])
  },
  cloud_api_media(table) {
    required(table).session().text('id')
    // Sealed: type, name, hash, size.
    required(table).binary('head').bigInteger('logged')
    table.primary(['session', 'id'])
    table.index(['id'])
    table.index(['logged'])
  },
  cloud_api_media_parts(table) {
    required(table).session().text('id').integer('part').binary('data').bigInteger('logged')
    table.primary(['session', 'id', 'part'])
    table.index(['logged'])
  },
  cloud_api_templates(table) {
    required(table).session().text('name', 'language').binary('template')
    table.primary(['session', 'name', 'language'])
  },
})
