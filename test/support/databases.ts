import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import knex, { type Knex } from 'knex'
import type { Database } from '../../kernel/db/database.ts'
import { openDatabase } from '../../kernel/db/engines/open.ts'
import { isWhole } from './run/whole.ts'

export interface Engine {
  readonly name: 'SQLite' | 'PostgreSQL'
  /** What createGateway takes to use it; a fresh, empty database each time. */
  fresh(): { dataDir: string; databaseUrl?: string; databaseSchema?: string }
}

const POSTGRES = process.env['TEST_DATABASE_URL']
declare global {
  var testDatabases: { folders: string[]; schemas: string[]; count: number } | undefined
}

// Global: mocha loads this module a second time for files whose modules await at their top level.
globalThis.testDatabases ??= { folders: [], schemas: [], count: 0 }
const made = globalThis.testDatabases

/** SQLite always; PostgreSQL where TEST_DATABASE_URL names a server. Tests of storage itself run on each. */
export const everyEngine: readonly Engine[] = [
  { name: 'SQLite', fresh: () => ({ dataDir: temporaryFolder() }) },
  ...(POSTGRES ? [{ name: 'PostgreSQL' as const, fresh: () => postgres(POSTGRES) }] : []),
]

/** Of tests of what is built on storage: the whole run has them on each, a plain `npm test` on SQLite alone. */
export const engines = everyEngine.slice(0, isWhole ? undefined : 1)

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'wamux-test-'))
  made.folders.push(folder)
  return folder
}

/** Opens an engine's fresh database as the kernel does. */
export function openFresh(engine: Engine): Promise<Database> {
  const { dataDir, databaseUrl, databaseSchema } = engine.fresh()
  return openDatabase({ dataDir, url: databaseUrl, schema: databaseSchema })
}

/** Beside the gateway, to look and to meddle. */
export function connected(url: string): Knex {
  return knex({ client: 'pg', connection: url, pool: { min: 0, max: 2 } })
}

function postgres(databaseUrl: string): ReturnType<Engine['fresh']> {
  made.count += 1
  const databaseSchema = `wamux_test_${process.pid}_${made.count}`
  made.schemas.push(databaseSchema)
  return { dataDir: temporaryFolder(), databaseUrl, databaseSchema }
}

/** Removes what the tests of this process made. */
export async function dropDatabases(): Promise<void> {
  for (const folder of made.folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  if (!POSTGRES || made.schemas.length === 0) return
  // Not as the kernel opens it, which would be for one process at a time.
  const database = connected(POSTGRES)
  for (const schema of made.schemas.splice(0))
    await database.raw('DROP SCHEMA IF EXISTS ?? CASCADE', [schema])
  await database.destroy()
}
