import { firstTables } from 'wamux/plugin'

export const migrations = firstTables({
  media_store_files(table) {
    // Seq of the event.
    table.bigInteger('seq').primary()
    // No reference: the file has to be deleted first when the session is.
    table.text('session').notNullable().index()
    table.text('store').notNullable()
    // Name of the file in the store.
    table.text('key').notNullable()
    // Type, name and key of the file, sealed JSON.
    table.binary('file').notNullable()
    table.bigInteger('stored').notNullable().index()
  },
})
