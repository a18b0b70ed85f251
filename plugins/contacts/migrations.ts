import { firstTables, required } from 'wamux/plugin'

export const migrations = firstTables({
  contacts_people(table) {
    required(table).session()
    // Index of the JID
    table.text('person').notNullable()
    // Each column is sealed separately, so that an update changes only the columns that it names.
    table.binary('jid').notNullable()
    for (const column of ['lid', 'first_name', 'full_name', 'push_name', 'business_name', 'username'])
      table.binary(column)
    table.primary(['session', 'person'])
  },
  contacts_lists(table) {
    required(table).session()
    // Indices of the list and of one recipient
    required(table).text('list', 'person').binary('jid')
    table.primary(['session', 'list', 'person'])
  },
})
