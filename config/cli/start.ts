import type { Command } from 'commander'
import type { Environment } from '../environment.ts'
import { loadConfig } from '../load.ts'
import { serve } from './serve.ts'

export function addStart(program: Command, env: () => Environment): void {
  program
    .command('start', { isDefault: true })
    .description('start the gateway for real accounts')
    // An unknown command is parsed as an argument of this default one.
    .allowExcessArguments()
    .action(async (_options: unknown, { args: [unknown] }: Command) => {
      if (unknown) program.error(`error: unknown command '${unknown}'`)
      await serve(await loadConfig(env()))
    })
}
