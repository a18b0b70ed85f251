import { firstTables, required } from 'wamux/plugin'

export const migrations = firstTables({
  newsletters_live(table) {
    required(table).session()
    // Not sealed: newsletters are public, and their JIDs contain no phone numbers.
    table.text('newsletter').notNullable()
    table.primary(['session', 'newsletter'])
  },
})
