import { defineTables, type Migration, sessionColumn } from 'wamux/plugin'

const rejected = defineTables({
  calls_rejected(table) {
    // From the offer's event.
    table.text('id').primary()
    sessionColumn(table).notNullable()
    // Milliseconds since 1970.
    table.bigInteger('time').notNullable()
    table.index(['time'])
  },
})

export const migrations: Record<string, Migration> = { '001_rejected': rejected }
