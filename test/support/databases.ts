import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '../../kernel/db/open.ts'

export interface Engine {
  readonly name: 'SQLite' | 'PostgreSQL'
  /** What createGateway takes to use it; a fresh, empty database each time. */
  fresh(): { dataDir: string; databaseUrl?: string; databaseSchema?: string }
}

const POSTGRES = process.env['TEST_DATABASE_URL']
const made: { folders: string[]; schemas: string[] } = { folders: [], schemas: [] }
let count = 0

/** SQLite always; PostgreSQL where TEST_DATABASE_URL names a server. Tests run on each. */
export const engines: readonly Engine[] = [
  { name: 'SQLite', fresh: () => ({ dataDir: temporaryFolder() }) },
  ...(POSTGRES ? [{ name: 'PostgreSQL' as const, fresh: () => postgres(POSTGRES) }] : []),
]

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

function postgres(databaseUrl: string): ReturnType<Engine['fresh']> {
  count += 1
  const databaseSchema = `wamux_test_${process.pid}_${count}`
  made.schemas.push(databaseSchema)
  return { dataDir: temporaryFolder(), databaseUrl, databaseSchema }
}

after(async () => {
  for (const folder of made.folders) rmSync(folder, { recursive: true, force: true })
  if (!POSTGRES || made.schemas.length === 0) return
  const database = await openDatabase({ dataDir: temporaryFolder(), url: POSTGRES })
  for (const schema of made.schemas) await database.main.raw('DROP SCHEMA IF EXISTS ?? CASCADE', [schema])
  await database.close()
})
