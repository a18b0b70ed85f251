import type { Command } from 'commander'
import type { Environment } from '../environment.ts'
import { loadConfig } from '../load.ts'
import { printSignIn } from './address.ts'
import { serve } from './serve.ts'

export function addStart(program: Command, env: () => Environment): void {
  program
    .command('start')
    .description('start the gateway for real accounts')
    .action(async () =>
      serve(await loadConfig(env()), undefined, async (gateway, adminToken) => {
        // Where no person reads it, the link would only stand in a log.
        if (process.stdout.isTTY) printSignIn(gateway, adminToken, 'Dashboard', '/dashboard')
      }),
    )
}
