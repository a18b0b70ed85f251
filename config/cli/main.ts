#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { isGatewayError } from '../../kernel/errors.ts'
import { type Environment, withDotEnv } from '../environment.ts'
import { addCheck } from './check.ts'
import { addMark } from './mark.ts'
import { addNetwork } from './network.ts'
import { addNewPlugin } from './new-plugin.ts'
import { VERSION } from './package.ts'
import { addPlugins } from './plugins.ts'
import { addPurge } from './purge.ts'
import { addSandbox } from './sandbox.ts'
import { addStart } from './start.ts'

// Use that makes no sense ends with 2, everything else that fails with 1.
const program = new Command('wamux')
  .description('A gateway that gives WhatsApp accounts an HTTP interface.')
  .version(VERSION)
  .option('-c, --config <file>', 'configuration, JSON or YAML; WAMUX_CONFIG says the same')
  .exitOverride()
  .showHelpAfterError('(wamux --help lists the commands)')
  .addHelpText(
    'after',
    `
Exit code: 0 done or stopped in order, 1 failed, 2 wrong use of the command line.
Settings come from the environment, then from the file: see the README.`,
  )
for (const add of [addStart, addSandbox, addNetwork, addCheck, addPlugins, addMark, addNewPlugin, addPurge])
  add(program, environment)

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2)
  if (!isGatewayError(error)) throw error
  process.stderr.write(`${error.message}\n`)
  // A plugin that failed half-way may have left something open that would keep the process up.
  process.exit(1)
}

/** What `--config` says wins over the variable, variables over the file `.env`. */
function environment(): Environment {
  const { config } = program.opts<{ config?: string }>()
  return withDotEnv(config ? { ...process.env, WAMUX_CONFIG: config } : process.env)
}
