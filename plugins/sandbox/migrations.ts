import { firstTables } from 'wamux/plugin'

export const migrations = firstTables({
  // How far the clock is ahead, in one row.
  sandbox_clock(table) {
    table.integer('id').primary()
    // Milliseconds.
    table.bigInteger('ahead').notNullable()
  },
})
