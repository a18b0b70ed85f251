import { purge } from './db/migrate.ts'
import { type DatabaseOptions, openDatabase } from './db/open.ts'
import { gatewayError, isGatewayError, reasonOf } from './errors.ts'
import type { Plugin } from './types/plugin.ts'

/**
 * Runs the downs of a plugin's migrations and forgets its place in the event log, all or nothing.
 *
 * @param really false only tells what would go.
 * @returns the tables that are (or would be) gone.
 */
export async function purgePlugin(
  plugin: Plugin,
  database: DatabaseOptions,
  really: boolean,
): Promise<string[]> {
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
