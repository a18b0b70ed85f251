import { connected } from '../support/databases.ts'

/** Databases of the candidates; what was made is removed at the end. */
export interface Schemas {
  /** URL of a new, empty schema; undefined means SQLite. */
  create(): Promise<string | undefined>
  drop(): Promise<void>
}

export function createSchemas(engine: string): Schemas {
  if (engine === 'sqlite') return { create: async () => undefined, drop: async () => undefined }
  if (engine !== 'postgres') throw new Error('engines are sqlite, postgres')
  const server = process.env['TEST_DATABASE_URL']
  if (!server) throw new Error('--engine postgres needs TEST_DATABASE_URL')
  const database = connected(server)
  const made: string[] = []
  return {
    async create() {
      const schema = `wamux_bench_${process.pid}_${made.length}`
      await database.raw('CREATE SCHEMA ??', [schema])
      made.push(schema)
      const url = new URL(server)
      url.searchParams.set('options', `-c search_path=${schema}`)
      return url.href
    },
    async drop() {
      for (const schema of made) await database.raw('DROP SCHEMA IF EXISTS ?? CASCADE', [schema])
      await database.destroy()
    },
  }
}
