import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { DatabaseOptions } from '../../kernel/db/engines/open.ts'
import type { Environment } from '../environment.ts'
import { commandFailed } from '../errors.ts'
import { loadConfig } from '../load.ts'
import { migrationsOf } from './migrations.ts'
import { linesOf, print, printError } from './print.ts'
import { copyDatabase } from './transfer/copy.ts'

export function addDb(program: Command, env: () => Environment): void {
  program
    .command('db')
    .description('maintain the database')
    .command('copy')
    .description(
      'copy the configured database to an empty one of another engine; the gateway must be stopped',
    )
    .requiredOption('--to <where>', 'postgres://… for PostgreSQL, or a data folder for SQLite')
    .action(async ({ to }: { to: string }) => {
      const loaded = await loadConfig(env())
      const { dataDir, databaseUrl: url, databaseDirectUrl: directUrl } = loaded.config
      const from: DatabaseOptions = { dataDir, url, directUrl }
      const target = optionsOf(to, dataDir)
      if (target.url === url && (url || resolve(target.dataDir) === resolve(dataDir)))
        throw commandFailed('--to is the configured database itself')
      const { tables, rows } = await copyDatabase({
        from,
        to: target,
        migrations: migrationsOf(loaded),
        onProgress(table, count, isDone) {
          printError(`${table}: ${count} rows${isDone ? ', compared' : ' …'}`)
        },
      })
      const next = target.url
        ? 'with DATABASE_URL set to it'
        : `with WAMUX_DATA_DIR=${target.dataDir}, and without DATABASE_URL`
      print(
        ...linesOf(`copied ${tables} tables, ${rows} rows.
Start wamux ${next}, and with the same master keys and admin token (WAMUX_KEYS, WAMUX_ADMIN_TOKEN, or
the files "master-key" and "admin-token" of ${dataDir}). The old database is unchanged: never start it again, because
its encryption states are then outdated.
`),
      )
    })
}

function optionsOf(to: string, dataDir: string): DatabaseOptions {
  if (/^postgres(ql)?:\/\//.test(to)) return { url: to, dataDir }
  if (to.includes('://')) throw commandFailed(`--to ${to} is neither postgres://… nor a folder`)
  return { dataDir: to }
}
