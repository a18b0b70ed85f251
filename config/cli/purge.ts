import type { Command } from 'commander'
import { purge } from '../../kernel/db/migrate.ts'
import { type DatabaseOptions, openDatabase } from '../../kernel/db/open.ts'
import { gatewayError, isGatewayError, reasonOf } from '../../kernel/errors.ts'
import type { Plugin } from '../../kernel/types/plugin.ts'
import type { Environment } from '../environment.ts'
import { readConfig } from '../load.ts'
import { findPlugin } from '../plugins.ts'

export function addPurge(program: Command, env: () => Environment): void {
  program
    .command('plugin')
    .description('care for one plugin')
    .command('purge')
    .description("remove a plugin's tables and its place in the event log; the gateway must be stopped")
    .argument('<name>', 'the plugin, or the package or path that it is listed as; it must still be installed')
    .option('--yes', 'really do it; without it only tells what would go')
    .action(async (name: string, { yes = false }: { yes?: boolean }) => {
      // No plugin is imported but the one: what is broken elsewhere must not be in the way.
      const { config, base } = readConfig(env())
      const plugin = await findPlugin(name, { listed: config.plugins, base })
      const { dataDir, databaseUrl: url } = config
      const tables = await purgePlugin(plugin, { dataDir, url }, yes)
      const what = `${tables.length} tables of plugin "${plugin.spec.name}"${tables.map((table) => `\n  ${table}`).join('')}\n`
      process.stdout.write(`${yes ? 'removed' : 'would remove'} ${what}`)
      if (yes) return
      process.stderr.write('nothing was changed; add --yes to remove them with everything in them\n')
      process.exitCode = 1
    })
}

/**
 * Runs the downs of a plugin's migrations and forgets its place in the event log, all or nothing.
 *
 * @param really false only tells what would go.
 * @returns the tables that are (or would be) gone.
 */
async function purgePlugin(plugin: Plugin, database: DatabaseOptions, really: boolean): Promise<string[]> {
  const { name, migrations = {} } = plugin.spec
  const { main, close } = await openDatabase(database)
  const rehearsal = Symbol('rehearsal')
  let gone: string[] = []
  try {
    await main.transaction(async (trx) => {
      gone = await purge(trx, name, migrations)
      if (!really) throw rehearsal
    })
  } catch (cause) {
    if (cause === rehearsal) return gone
    if (isGatewayError(cause)) throw cause
    throw gatewayError('PLUGIN_PURGE', [name, reasonOf(cause)], { cause })
  } finally {
    await close()
  }
  return gone
}
