import type { Command } from 'commander'
import type { Environment } from '../environment.ts'
import { loadConfig } from '../load.ts'
import { serve } from './serve.ts'

export function addStart(program: Command, env: () => Environment): void {
  program
    .command('start')
    .description('start the gateway for real accounts')
    .action(async () => serve(await loadConfig(env())))
}
