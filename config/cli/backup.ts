import { join } from 'node:path'
import type { Command } from 'commander'
import type { Environment } from '../environment.ts'
import { commandFailed } from '../errors.ts'
import { readConfig } from '../load.ts'
import { backUp } from './backup/backup.ts'
import { linesOf, print } from './print.ts'

export function addBackup(program: Command, env: () => Environment): void {
  program
    .command('backup')
    .description('copy the SQLite database to a file, even while the gateway runs')
    .argument('<file>', 'file that does not exist yet')
    .action(async (file: string) => {
      const { config } = readConfig(env())
      if (config.databaseUrl)
        throw commandFailed(
          'the database is PostgreSQL: back it up with its own tool, for example pg_dump --format=custom --file=wamux.dump "$DATABASE_URL"',
        )
      const { sessions, keyIds, bytes } = await backUp(config.dataDir, file)
      const keys = config.keys ? 'the setting "keys" (WAMUX_KEYS)' : join(config.dataDir, 'master-key')
      const named = keyIds.length > 0 ? ` ${keyIds.map((id) => `"${id}"`).join(', ')}` : ''
      print(
        ...linesOf(`${sessions.length} sessions, ${bytes} bytes: ${file}
The master key${named} is NOT in it, and without that key it can not be read. The key is in ${keys}:
back it up as well, and keep the two apart.
`),
      )
    })
}
