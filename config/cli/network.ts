import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { BUILTIN } from '../builtin.ts'
import type { Environment } from '../environment.ts'
import { loadConfig } from '../load.ts'
import { serve } from './serve.ts'

const NEEDED = ['audit', 'baileys', 'messaging', 'sandbox', 'server']

export function addNetwork(program: Command, env: () => Environment): void {
  program
    .command('network')
    .description('start only the local network, for gateways in other processes')
    .action(async () => {
      // The network is kept in memory; only the gateway around it needs a database.
      const dataDir = mkdtempSync(join(tmpdir(), 'wamux-network-'))
      const only = Object.fromEntries(Object.keys(BUILTIN).map((name) => [name, NEEDED.includes(name)]))
      const loaded = await loadConfig({ ...env(), WAMUX_DATA_DIR: dataDir }, only)
      // Only one process may use a database: the configured one is for the gateway.
      const config = { ...loaded.config, databaseUrl: '' }
      await serve({ ...loaded, config }, () => rmSync(dataDir, { recursive: true, force: true }))
    })
}
