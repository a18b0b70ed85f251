import { defineTables, type Migration, sessionColumn } from 'wamux/plugin'

const people = defineTables({
  contacts_people(table) {
    sessionColumn(table).notNullable()
    // Index of the JID
    table.text('person').notNullable()
    // Each column is sealed separately, so that an update changes only the columns that it names.
    table.binary('jid').notNullable()
    for (const column of ['lid', 'first_name', 'full_name', 'push_name', 'business_name'])
      table.binary(column)
    table.primary(['session', 'person'])
  },
  contacts_lists(table) {
    sessionColumn(table).notNullable()
    // Indices of the list and of one recipient
    table.text('list').notNullable()
    table.text('person').notNullable()
    // Sealed
    table.binary('jid').notNullable()
    table.primary(['session', 'list', 'person'])
  },
})

const usernames: Migration = {
  async up(knex) {
    await knex.schema.alterTable('contacts_people', (table) => {
      table.binary('username')
    })
  },
  async down(knex) {
    await knex.schema.alterTable('contacts_people', (table) => {
      table.dropColumn('username')
    })
  },
}

export const migrations: Record<string, Migration> = {
  '001_people': people,
  '002_usernames': usernames,
}
