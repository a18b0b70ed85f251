import { firstTables, required } from 'wamux/plugin'

export const migrations = firstTables({
  calls_rejected(table) {
    // From the offer's event.
    table.text('id').primary()
    required(table).session().bigInteger('time')
    table.index(['time'])
  },
})
