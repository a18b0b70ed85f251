import { defineTables, type Migration, sessionColumn } from 'wamux/plugin'

const messages = defineTables({
  schedule_messages(table) {
    sessionColumn(table).notNullable()
    // The id of the message to send.
    table.text('id').notNullable()
    // Hash of the request, if the client chose the id.
    table.text('fingerprint').notNullable()
    // Milliseconds since 1970.
    table.bigInteger('send_at').notNullable()
    table.bigInteger('created').notNullable()
    table.bigInteger('changed').notNullable()
    // waiting, sending, sent, cancelled, failed
    table.text('state').notNullable()
    // Bytes of `request`.
    table.bigInteger('size').notNullable()
    // Sealed: the listed fields, and the content to send, which is deleted at the end.
    table.binary('info').notNullable()
    table.binary('request')
    table.primary(['session', 'id'])
    table.index(['session', 'send_at'])
    table.index(['changed'])
  },
})

export const migrations: Record<string, Migration> = { '001_messages': messages }
