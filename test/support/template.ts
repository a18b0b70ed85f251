import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../kernel/db/engines/open.ts'
import { migrate } from '../../kernel/db/migrate.ts'
import type { Plugin } from '../../kernel/plugin.ts'
import type { Listed } from '../../kernel/wiring/prepare.ts'
import { migrations as kernel } from '../../migrations/index.ts'

const FILE = 'wamux.sqlite'
/** Folders by the migrations that their databases have. */
const templates = new Map<string, Promise<string>>()

/**
 * Puts a SQLite database with the tables of the plugins into an empty folder. Migrations are a third of a gateway's start,
 * and most tests are not about them; those of other engines, and processes, run them.
 */
export async function copyTemplate(listed: readonly Listed[], dataDir: string): Promise<void> {
  const owners = listed.flatMap(({ plugin }) => {
    const { name, migrations } = (plugin as Plugin).spec
    return migrations ? [{ name, migrations }] : []
  })
  const key = JSON.stringify(owners.map(({ name, migrations }) => [name, ...Object.keys(migrations)]).sort())
  const template = templates.get(key) ?? make(owners)
  templates.set(key, template)
  const file = join(dataDir, FILE)
  // One that starts again keeps what it has.
  if (!existsSync(file)) copyFileSync(join(await template, FILE), file)
}

async function make(
  owners: readonly { name: string; migrations: NonNullable<Plugin['spec']['migrations']> }[],
): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'wamux-template-'))
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
  const database = await openDatabase({ dataDir })
  await migrate(database.main, 'kernel', kernel)
  for (const { name, migrations } of owners) await migrate(database.main, name, migrations)
  await database.close()
  return dataDir
}
