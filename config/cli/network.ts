import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { CARDS } from '../builtin.ts'
import type { Environment } from '../environment.ts'
import { loadConfig } from '../load.ts'
import { KEEP, KEPT } from './sandbox.ts'
import { serve } from './serve.ts'

const NEEDED = ['audit', 'baileys', 'messaging', 'sandbox', 'server']

export function addNetwork(program: Command, env: () => Environment): void {
  program
    .command('network')
    .description('start only the local network, for gateways in other processes')
    .option('--keep', KEEP)
    .action(async ({ keep }: { keep?: boolean }) => {
      const only = Object.fromEntries(Object.keys(CARDS).map((name) => [name, NEEDED.includes(name)]))
      const loaded = await loadConfig(keep ? { ...env(), ...KEPT } : env(), only)
      // Without the option the network is in memory; only the gateway around it needs a database, while it runs.
      const dataDir = keep
        ? join(loaded.config.dataDir, 'network')
        : mkdtempSync(join(tmpdir(), 'wamux-network-'))
      // Only one process may use a database: the configured one is for the gateway.
      const config = { ...loaded.config, dataDir, databaseUrl: '' }
      await serve({ ...loaded, config }, () => {
        if (!keep) rmSync(dataDir, { recursive: true, force: true })
      })
    })
}
