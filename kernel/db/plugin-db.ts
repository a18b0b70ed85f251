import type { PluginDb, Row, Write } from '../types/storage.ts'
import type { Database } from './database.ts'
import { createKnownRows } from './known-rows.ts'
import { prefixOf } from './migrate.ts'
import { deleteInSlices } from './slices.ts'
import type { Writer } from './writer.ts'

/** One plugin's view of the database: its own tables by their short names. */
export function pluginDb(database: Database, writer: Writer, owner: string): PluginDb {
  const table = (name: string): string => prefixOf(owner) + name
  const change =
    (mode: Write['mode']) =>
    (name: string, key: readonly string[], rows: readonly Row[]): Write => ({
      table: table(name),
      key,
      rows,
      mode,
    })
  return {
    read: database.read,
    direct: database.direct,
    table,
    now: database.now,
    knownRows: (name) => createKnownRows(database, table(name)),
    put: change('put'),
    add: change('add'),
    update: change('update'),
    remove: change('remove'),
    write: async (writes, options) => {
      await writer.write(writes, options)
    },
    prune: (name, condition, options) => deleteInSlices(writer, table(name), condition, options),
    transact: (work, options) => writer.transact(work, options),
  }
}
