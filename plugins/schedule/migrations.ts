import { firstTables, required } from 'wamux/plugin'

export const migrations = firstTables({
  schedule_messages(table) {
    required(table).session()
    // The id of the message to send.
    table.text('id').notNullable()
    // Hash of the request, if the client chose the id.
    required(table).text('fingerprint').bigInteger('send_at', 'created', 'changed')
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
