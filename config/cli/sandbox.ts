import { join } from 'node:path'
import type { Command } from 'commander'
import type { Gateway } from '../../kernel/gateway.ts'
import type { Environment } from '../environment.ts'
import { loadConfig } from '../load.ts'
import { addressOf, printSeed } from './sandbox/seed.ts'
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
          printPages(gateway, adminToken)
          if (!empty) await printSeed(gateway, { dataDir, adminToken })
        },
      )
    })
}

/** For the person at the terminal, next to the log: the pages with the phones, and a link that logs in without a token. */
function printPages(gateway: Gateway, adminToken: string): void {
  const hasPages = gateway
    .describe()
    .plugins.some(({ name, state }) => name === 'dashboard' && state === 'ready')
  if (!hasPages) return
  const code = gateway.service('signInCodes').make(adminToken)
  const url = addressOf(gateway)
  process.stdout.write(
    `\nPhones and gateway in the browser: ${url}/dashboard/phones#code=${code}\n(The link logs in once, within ten minutes; afterwards use ${url}/dashboard)\n\n`,
  )
}
