import type { Command } from 'commander'
import type { Environment } from '../environment.ts'
import { loadConfig } from '../load.ts'
import { serve } from './serve.ts'

export function addSandbox(program: Command, env: () => Environment): void {
  program
    .command('sandbox')
    .description('start the gateway on a local network with simulated phones')
    .action(async () => {
      // A folder of its own: sessions of the local network are never in one database with real ones.
      const dataDir = env()['WAMUX_DATA_DIR'] || './data/sandbox'
      await serve(await loadConfig({ ...env(), WAMUX_DATA_DIR: dataDir }, { sandbox: true }))
    })
}
