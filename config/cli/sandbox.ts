import { join } from 'node:path'
import type { Command } from 'commander'
import type { Environment } from '../environment.ts'
import { loadConfig } from '../load.ts'
import { printSignIn } from './address.ts'
import { printSeed } from './sandbox/seed.ts'
import { serve } from './serve.ts'

/** The option of both commands that start a local network. */
export const KEEP =
  'store the network in the data folder: accounts, links and messages come back at the next start'
export const KEPT = { WAMUX_SANDBOX_KEEP: 'true' }
const LOOPBACK = ['127.0.0.0/8', '::1']

export function addSandbox(program: Command, env: () => Environment): void {
  program
    .command('sandbox')
    .description('start the gateway on a local network with simulated phones and a linked session')
    .option('--keep', KEEP)
    .option('--empty', 'begin with an empty network: no phones, groups, messages or linked session')
    .action(async ({ keep, empty }: { keep?: boolean; empty?: boolean }) => {
      const loaded = await loadConfig(keep ? { ...env(), ...KEPT } : env(), { sandbox: true })
      // Sessions of the local network never share a database with real ones, nor with another network's card.
      const dataDir = join(loaded.config.dataDir, 'sandbox')
      // In a trial, receivers run on this machine.
      const allowPrivateHosts = [...loaded.config.allowPrivateHosts, ...LOOPBACK]
      await serve(
        { ...loaded, config: { ...loaded.config, dataDir, databaseUrl: '', allowPrivateHosts } },
        undefined,
        async (gateway, adminToken) => {
          printSignIn(gateway, adminToken, 'Phones and gateway in the browser', '/dashboard/phones')
          if (!empty) await printSeed(gateway, { dataDir, adminToken })
        },
      )
    })
}
