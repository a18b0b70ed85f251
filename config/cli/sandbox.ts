import type { Command } from 'commander'
import type { Environment } from '../environment.ts'
import { loadConfig } from '../load.ts'
import { serve } from './serve.ts'

export function addSandbox(program: Command, env: () => Environment): void {
  program
    .command('sandbox')
    .description('start it on a local network with simulated phones')
    .action(async () => {
      // Its own folder: sessions of the local network and real ones never meet.
      const dataDir = env()['WAMUX_DATA_DIR'] || './data/sandbox'
      await serve(await loadConfig({ ...env(), WAMUX_DATA_DIR: dataDir }, { sandbox: true }))
    })
}
