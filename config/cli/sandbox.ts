import { join } from 'node:path'
import type { Command } from 'commander'
import type { Gateway } from '../../kernel/gateway.ts'
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
      await serve(
        { ...loaded, config: { ...loaded.config, dataDir, databaseUrl: '' } },
        undefined,
        printPages,
      )
    })
}

/** For the person at the terminal, beside the log: the pages with the phones, and a link that logs in without a token. */
function printPages(gateway: Gateway, adminToken: string): void {
  const hasPages = gateway
    .describe()
    .plugins.some(({ name, state }) => name === 'dashboard' && state === 'ready')
  if (!hasPages) return
  const code = gateway.service('signInCodes').make(adminToken)
  const url = gateway.url.replace('//0.0.0.0', '//127.0.0.1').replace('//[::]', '//127.0.0.1')
  process.stdout.write(
    `\nPhones and gateway in the browser: ${url}/dashboard/phones#code=${code}\n(The link logs in once, within ten minutes; afterwards use ${url}/dashboard)\n\n`,
  )
}
