import { defineTables, type Migration, sessionColumn } from 'wamux/plugin'

const store = defineTables({
  labels_labels(table) {
    sessionColumn(table).notNullable()
    // Index of the id
    table.text('label').notNullable()
    // Sealed
    table.binary('content').notNullable()
    table.primary(['session', 'label'])
  },
  labels_items(table) {
    sessionColumn(table).notNullable()
    // Index of label, chat and message; pages are in its order
    table.text('item').notNullable()
    table.text('label').notNullable()
    table.text('chat').notNullable()
    // chat or message
    table.text('kind').notNullable()
    // Sealed
    table.binary('content').notNullable()
    table.primary(['session', 'item'])
  },
})

export const migrations: Record<string, Migration> = { '001_store': store }
