import type { Command } from 'commander'
import { openKeyring } from '../../kernel/vault/keyring.ts'
import { type Restored, restore } from '../backup/restore.ts'
import type { Environment } from '../environment.ts'
import { gatewayError } from '../errors.ts'
import { loadConfig } from '../load.ts'
import { existingKeysOf } from '../master-keys.ts'
import { migrationsOf } from './migrations.ts'

export function addRestore(program: Command, env: () => Environment): void {
  program
    .command('restore')
    .description(
      'put the copy that "backup" made in place of the SQLite database; the gateway must be stopped',
    )
    .argument('<file>', 'the copy')
    .option('--force', 'replace a database that is there; it is kept under another name')
    .action(async (file: string, { force = false }: { force?: boolean }) => {
      const loaded = await loadConfig(env())
      const { config } = loaded
      if (config.databaseUrl)
        throw gatewayError('COMMAND_FAILED', [
          'the database is PostgreSQL: restore it with its own tool, pg_restore, into an empty database; then start with the same master keys',
        ])
      const { dataDir } = config
      const keyring = openKeyring(keysFor(file, config))
      const migrations = migrationsOf(loaded)
      process.stdout.write(report(file, await restore({ dataDir, file, keyring, migrations, force })))
    })
}

function keysFor(file: string, config: Parameters<typeof existingKeysOf>[0]): string {
  try {
    return existingKeysOf(config)
  } catch (cause) {
    // A start would make a new one, which does not open the copy.
    throw gatewayError(
      'COMMAND_FAILED',
      [
        `there is no master key in ${config.dataDir}: put the file "master-key" of the gateway that made ${file} there, or set WAMUX_KEYS`,
      ],
      { cause },
    )
  }
}

function report(file: string, { sessions, lastEvent, aside }: Restored): string {
  const until = lastEvent ? `; its last event is of ${lastEvent.toISOString()}` : ''
  const kept = aside
    ? `The database that was there is now ${aside}; it holds keys, so delete it once you do not need it.\n`
    : ''
  return `restored ${sessions.length} sessions from ${file}${until}
${kept}What happened after the copy is not in it: messages and events of that time are missing, deliveries may be repeated.
The encryption states of chats were removed, because those of a copy are of the past. New ones are made by the next
messages: some that arrive are unreadable at first, and are requested again on their own. A session that was linked or
unlinked after the copy needs a new QR code.
Never start the old database and this one at once.
`
}
