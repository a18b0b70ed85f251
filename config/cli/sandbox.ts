import { join } from 'node:path'
import type { Command } from 'commander'
import type { Environment } from '../environment.ts'
import { loadConfig } from '../load.ts'
import { serve } from './serve.ts'

/** The option of both commands that start a local network. */
export const KEEP =
  'store the network in the data folder: accounts, links and messages come back at the next start'
export const KEPT = { WAMUX_SANDBOX_KEEP: 'true' }

export function addSandbox(program: Command, env: () => Environment): void {
  program
    .command('sandbox')
    .description('start the gateway on a local network with simulated phones')
    .option('--keep', KEEP)
    .action(async ({ keep }: { keep?: boolean }) => {
      const loaded = await loadConfig(keep ? { ...env(), ...KEPT } : env(), { sandbox: true })
      // Sessions of the local network are never in one database with real ones, nor over the card of another network.
      const dataDir = join(loaded.config.dataDir, 'sandbox')
      await serve({ ...loaded, config: { ...loaded.config, dataDir, databaseUrl: '' } })
    })
}
