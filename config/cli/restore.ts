import type { Command } from 'commander'
import { openKeyring } from '../../kernel/vault/keyring.ts'
import type { Environment } from '../environment.ts'
import { commandFailed } from '../errors.ts'
import { loadConfig } from '../load.ts'
import { existingKeysOf } from '../master-keys.ts'
import { type Restored, restore } from './backup/restore.ts'
import { migrationsOf } from './migrations.ts'
import { linesOf, print } from './print.ts'

export function addRestore(program: Command, env: () => Environment): void {
  program
    .command('restore')
    .description('replace the SQLite database by a copy made with "backup"; the gateway must be stopped')
    .argument('<file>', 'the copy')
    .option('--force', 'replace an existing database, which is kept under another name')
    .action(async (file: string, { force = false }: { force?: boolean }) => {
      const loaded = await loadConfig(env())
      const { config } = loaded
      if (config.databaseUrl)
        throw commandFailed(
          'the database is PostgreSQL: restore it with its own tool, pg_restore, into an empty database; then start with the same master keys',
        )
      const { dataDir } = config
      const keyring = openKeyring(keysFor(file, config))
      const migrations = migrationsOf(loaded)
      print(...linesOf(report(file, await restore({ dataDir, file, keyring, migrations, force }))))
    })
}

function keysFor(file: string, config: Parameters<typeof existingKeysOf>[0]): string {
  try {
    return existingKeysOf(config)
  } catch (cause) {
    // A start would create a new key, which does not decrypt the copy.
    throw commandFailed(
      `there is no master key in ${config.dataDir}: put the file "master-key" of the gateway that made ${file} there, or set WAMUX_KEYS`,
      cause,
    )
  }
}

function report(file: string, { sessions, lastEvent, aside }: Restored): string {
  const until = lastEvent ? `; its last event dates from ${lastEvent.toISOString()}` : ''
  const kept = aside
    ? `The previous database is now ${aside}; it contains keys, so delete it once you no longer need it.\n`
    : ''
  return `restored ${sessions.length} sessions from ${file}${until}
${kept}Messages and events after the copy are missing, and deliveries may be repeated.
The encryption states of chats were removed, because those of a copy are outdated. The next messages create new ones:
some incoming messages are unreadable at first and are requested again automatically. A session linked or unlinked
after the copy needs a new QR code.
Never start the old database and this one at the same time.
`
}
