#!/usr/bin/env node
import { inspect } from 'node:util'
import { Command, CommanderError } from 'commander'
import { isGatewayError } from '../../kernel/errors.ts'
import { type Environment, withDotEnv } from '../environment.ts'
import { addBackup } from './backup.ts'
import { addCheck } from './check.ts'
import { addDb } from './db.ts'
import { addDoctor } from './doctor.ts'
import { holdHeap } from './heap.ts'
import { addImport } from './import.ts'
import { addMark } from './mark.ts'
import { addMcp } from './mcp.ts'
import { addNetwork } from './network.ts'
import { addNewPlugin } from './new-plugin.ts'
import { addNodes } from './nodes.ts'
import { VERSION } from './package.ts'
import { addPluginDev } from './plugin/dev.ts'
import { addPurge } from './plugin/purge.ts'
import { addPlugins } from './plugins.ts'
import { linesOf, print, printError } from './print.ts'
import { addListen } from './remote/listen.ts'
import { addLogs } from './remote/logs.ts'
import { addQr } from './remote/qr.ts'
import { addSend } from './remote/send.ts'
import { addTrigger } from './remote/trigger.ts'
import { addRestore } from './restore.ts'
import { addSandbox } from './sandbox.ts'
import { addStart } from './start.ts'

// Exit code 2 for command line errors, 1 for any other failure.
const program = new Command('wamux')
  .description('A gateway that gives WhatsApp accounts an HTTP interface.')
  .version(VERSION)
  .option('-c, --config <file>', 'configuration file, JSON or YAML; same as WAMUX_CONFIG')
  .exitOverride()
  // The commands added below inherit it.
  .configureOutput({
    writeOut: (text) => print(...linesOf(text)),
    writeErr: (text) => printError(...linesOf(text)),
  })
  .showHelpAfterError('(wamux --help lists the commands)')
  .addHelpText(
    'after',
    `
Exit code: 0 done or stopped cleanly, 1 failed, 2 command line error.
The environment overrides the configuration file: see the README.`,
  )
for (const add of [
  ...[addStart, addSandbox, addNetwork, addCheck, addDoctor, addPlugins, addNodes, addMcp],
  ...[addListen, addTrigger, addSend, addQr, addLogs],
  ...[addMark, addNewPlugin, addPluginDev, addPurge, addBackup, addRestore, addDb, addImport],
])
  add(program, environment)

holdHeap(process.env['NODE_OPTIONS'])
// A reader of the output, for example `head`, may close it early: that is not a failure of the command.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2)
  printError(...linesOf(isGatewayError(error) ? error.message : inspect(error)))
  // A plugin that failed to start may have left a timer or connection that keeps the process alive.
  process.exit(1)
}

/** `--config` overrides the variable WAMUX_CONFIG, and variables override the file `.env`. */
function environment(): Environment {
  const { config } = program.opts<{ config?: string }>()
  return withDotEnv(config ? { ...process.env, WAMUX_CONFIG: config } : process.env)
}
