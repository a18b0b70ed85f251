import { firstTables, required } from 'wamux/plugin'

export const migrations = firstTables({
  labels_labels(table) {
    required(table).session()
    // Index of the id
    required(table).text('label').binary('content')
    table.primary(['session', 'label'])
  },
  labels_items(table) {
    required(table).session()
    // Index of label, chat and message; pages are in its order
    required(table).text('item', 'label', 'chat')
    // chat or message
    required(table).text('kind').binary('content')
    table.primary(['session', 'item'])
  },
})
