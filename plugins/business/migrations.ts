import { firstTables, required } from 'wamux/plugin'

export const migrations = firstTables({
  business_quick_replies(table) {
    required(table).session()
    // Index of the id
    required(table).text('reply').binary('content')
    table.primary(['session', 'reply'])
  },
})
