import type { Command } from 'commander'
import { type DatabaseOptions, openDatabase } from '../../../kernel/db/engines/open.ts'
import type { Plugin } from '../../../kernel/types/plugin.ts'
import type { Environment } from '../../environment.ts'
import { gatewayError, isGatewayError, reasonOf } from '../../errors.ts'
import { readConfig } from '../../load.ts'
import { findPlugin } from '../../plugins.ts'
import { purge } from '../../purge.ts'
import { print, printError } from '../print.ts'
import { pluginGroup } from './group.ts'

export function addPurge(program: Command, env: () => Environment): void {
  pluginGroup(program)
    .command('purge')
    .description("remove a plugin's tables and its cursor in the event log; the gateway must be stopped")
    .argument(
      '<name>',
      'name of the plugin, or its package or path in the configuration; it must still be installed',
    )
    .option('--yes', 'remove them; without it, only list them')
    .action(async (name: string, { yes = false }: { yes?: boolean }) => {
      // Imports only this plugin, so that a fault in another one does not prevent the purge.
      const { config, base } = readConfig(env())
      const plugin = await findPlugin(name, { listed: config.plugins, base })
      const { dataDir, databaseUrl: url, databaseDirectUrl: directUrl } = config
      const tables = await purgePlugin(plugin, { dataDir, url, directUrl }, yes)
      const what = `${tables.length} tables of plugin "${plugin.spec.name}"`
      print(`${yes ? 'removed' : 'would remove'} ${what}`, ...tables.map((table) => `  ${table}`))
      if (yes) return
      printError('nothing was changed; add --yes to remove them with their content')
      process.exitCode = 1
    })
}

/**
 * Reverts a plugin's migrations and removes its cursor in the event log, all or nothing.
 *
 * @param really false rolls everything back.
 * @returns the removed tables (or those that would be).
 */
async function purgePlugin(plugin: Plugin, database: DatabaseOptions, really: boolean): Promise<string[]> {
  const { name, migrations = {} } = plugin.spec
  const { main, close } = await openDatabase(database)
  const rehearsal = Symbol('rehearsal')
  let removed: string[] = []
  try {
    await main.transaction(async (trx) => {
      removed = await purge(trx, name, migrations)
      if (!really) throw rehearsal
    })
  } catch (cause) {
    if (cause === rehearsal) return removed
    if (isGatewayError(cause)) throw cause
    throw gatewayError('PLUGIN_PURGE', [name, reasonOf(cause)], { cause })
  } finally {
    await close()
  }
  return removed
}
