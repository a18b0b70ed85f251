import sqlite3, { type Database, type Statement as Prepared } from 'sqlite3'
import type { Row } from '../types/storage.ts'
import type { WriteConnection } from './write-connection.ts'

/** Shapes of rows times the sizes of a chunk; a statement costs some kilobytes. */
const MAX_PREPARED = 500

/** Opens `file` with `pragmas` set. */
export async function openSqliteConnection(
  file: string,
  pragmas: readonly string[],
): Promise<WriteConnection> {
  const database = await new Promise<Database>((resolve, reject) => {
    const opened = new sqlite3.Database(file, (error) => (error ? reject(error) : resolve(opened)))
  })
  const prepared = new Map<string, Prepared>()

  async function close(): Promise<void> {
    for (const statement of prepared.values()) statement.finalize()
    prepared.clear()
    await new Promise<void>((resolve, reject) => {
      database.close((error) => (error ? reject(error) : resolve()))
    })
  }

  async function prepare(text: string): Promise<Prepared> {
    const kept = prepared.get(text)
    if (kept) return kept
    const statement = await new Promise<Prepared>((resolve, reject) => {
      const made = database.prepare(text, (error: Error | null) => (error ? reject(error) : resolve(made)))
    })
    const [oldest] = prepared.keys()
    if (prepared.size >= MAX_PREPARED && oldest !== undefined) {
      prepared.get(oldest)?.finalize()
      prepared.delete(oldest)
    }
    prepared.set(text, statement)
    return statement
  }

  try {
    await exec(database, pragmas.join(';'))
  } catch (error) {
    await close()
    throw error
  }
  return {
    dialect: 'sqlite',
    async run({ text, values }) {
      const statement = await prepare(text)
      return new Promise((resolve, reject) => {
        statement.all<Row>(values, (error, rows) => (error ? reject(error) : resolve(rows)))
      })
    },
    close,
  }
}

function exec(database: Database, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    database.exec(sql, (error) => (error ? reject(error) : resolve()))
  })
}
