#!/usr/bin/env node
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import closeWithGrace from 'close-with-grace'
import { Command, CommanderError } from 'commander'
import { adminTokenOf } from '../config/admin-token.ts'
import { BUILTIN } from '../config/builtin.ts'
import { effective, unused } from '../config/effective.ts'
import { type Environment, withDotEnv } from '../config/environment.ts'
import { type Loaded, loadConfig, readConfig } from '../config/load.ts'
import { masterKeysOf } from '../config/master-keys.ts'
import { findPlugin } from '../config/plugins.ts'
import { secondCopies } from '../config/second-copies.ts'
import { migrations } from '../migrations/index.ts'
import { isGatewayError } from './errors.ts'
import { createGateway, type Gateway } from './gateway.ts'
import { createLog, markOf } from './log.ts'
import { writePlugin } from './new-plugin.ts'
import { rootOf, versionOf } from './package.ts'
import { purgePlugin } from './purge.ts'
import { openKeyring } from './vault/keyring.ts'

const ROOT = rootOf(import.meta.url)
const VERSION = versionOf(ROOT)
/** What `--config` says wins over the variable, variables over the file `.env`. */
const env = (): Environment => {
  const { config } = program.opts<{ config?: string }>()
  return withDotEnv(config ? { ...process.env, WAMUX_CONFIG: config } : process.env)
}

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
program
  .command('start', { isDefault: true })
  .description('start the gateway for real accounts')
  // An unknown command ends up here, as what follows the default one.
  .allowExcessArguments()
  .action(start)
program.command('sandbox').description('start it on a local network with simulated phones').action(sandbox)
program.command('network').description('start only the local network, for other processes').action(network)
program.command('check').description('check configuration and plugins, touching nothing').action(check)
program.command('plugins').description('list enabled plugins with their routes').action(plugins)
program
  .command('mark')
  .description('show what stands for somebody in the log of this gateway')
  .argument('<number>', 'phone number or LID, or a JID')
  .action(mark)
program
  .command('new-plugin')
  .description('write a new plugin: a package of its own that compiles, lints, tests and runs')
  .argument('<name>', 'such as crm, wamux-plugin-crm or @acme/wamux-plugin-crm')
  .addHelpText('after', '\nThe package is made in a new folder wamux-plugin-<name> below the current one.')
  .action(newPlugin)
program
  .command('plugin')
  .description('care for one plugin')
  .command('purge')
  .description("remove a plugin's tables and its place in the event log; the gateway must be stopped")
  .argument('<name>', 'the plugin, or the package or path that it is listed as; it must still be installed')
  .option('--yes', 'really do it; without it only tells what would go')
  .action(purge)

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2)
  if (!isGatewayError(error)) throw error
  process.stderr.write(`${error.message}\n`)
  // A plugin that failed half-way may have left something open that would keep the process up.
  process.exit(1)
}

async function start(_options: unknown, { args: [unknown] }: Command): Promise<void> {
  if (unknown) program.error(`error: unknown command '${unknown}'`)
  await serve(await loadConfig(env()))
}

async function sandbox(): Promise<void> {
  // Its own folder: sessions of the local network and real ones never meet.
  const dataDir = env()['WAMUX_DATA_DIR'] || './data/sandbox'
  await serve(await loadConfig({ ...env(), WAMUX_DATA_DIR: dataDir }, { sandbox: true }))
}

async function network(): Promise<void> {
  // The network lives in memory; only its plumbing wants a database.
  const dataDir = mkdtempSync(join(tmpdir(), 'wamux-network-'))
  const needed = ['baileys', 'sandbox', 'server']
  const only = Object.fromEntries(Object.keys(BUILTIN).map((name) => [name, needed.includes(name)]))
  const loaded = await loadConfig({ ...env(), WAMUX_DATA_DIR: dataDir }, only)
  // A database is for one process: the one of the configuration belongs to the gateway.
  const config = { ...loaded.config, databaseUrl: '' }
  await serve({ ...loaded, config }, () => rmSync(dataDir, { recursive: true, force: true }))
}

async function serve(loaded: Loaded, after?: () => void): Promise<void> {
  const { config, plugins } = loaded
  const { token, file } = adminTokenOf(config)
  const master = masterKeysOf(config)
  const log = createLog({ level: config.logLevel, mac: openKeyring(master.keys).mac })
  for (const copy of secondCopies(loaded, ROOT)) log.warn(copy)
  const { databaseUrl, ...rest } = config
  const gateway = createGateway({
    ...rest,
    ...(databaseUrl ? { databaseUrl } : {}),
    plugins,
    migrations,
    version: VERSION,
    log,
    adminToken: token,
    keys: master.keys,
    onTaken: () => close(),
  })
  // A stray rejection of one plugin must not take the gateway down: it is logged below.
  const { close } = closeWithGrace(
    { delay: 9_500, logger: false, skip: ['unhandledRejection'] },
    async ({ err }) => {
      if (err) log.fatal({ err }, 'uncaught')
      await gateway.stop()
      after?.()
    },
  )
  process.on('unhandledRejection', (err) => log.error({ err }, 'unhandled rejection'))
  await gateway.start()
  if (file) log.info({ file }, 'the admin token is in this file')
  if (master.isNew)
    log.warn({ file: master.file }, 'made a master key: back it up, nothing stored can be read without it')
}

async function check(): Promise<void> {
  const loaded = await loadConfig(env())
  const { plugins } = dry(loaded).describe()
  if (loaded.config.keys) openKeyring(loaded.config.keys)
  process.stdout.write(effective(loaded, env()))
  for (const name of unused(loaded, env()))
    process.stdout.write(`not used: ${name} is no setting of what is on\n`)
  for (const copy of secondCopies(loaded, ROOT)) process.stdout.write(`warning: ${copy}\n`)
  const routes = plugins.flatMap((plugin) => plugin.routes)
  process.stdout.write(`plugins: ${plugins.map(({ name }) => name).join(', ')}\n`)
  process.stdout.write(`ok: ${plugins.length} plugins, ${routes.length} routes\n`)
}

async function plugins(): Promise<void> {
  for (const { name, version, routes } of dry(await loadConfig(env())).describe().plugins) {
    process.stdout.write(`${name} ${version}\n`)
    for (const { method, path, spec } of routes)
      process.stdout.write(`  ${method} ${path}  ${spec.summary}\n`)
  }
}

function mark(number: string): void {
  const { mac } = openKeyring(masterKeysOf(readConfig(env()).config).keys)
  process.stdout.write(`${markOf(mac, /\d+/.exec(number)?.[0] ?? number)}\n`)
}

function newPlugin(name: string): void {
  const template = fileURLToPath(new URL('kernel/template', ROOT))
  const { folder, files } = writePlugin({ name, into: process.cwd(), template, version: VERSION })
  process.stdout.write(`${folder}\n${files.map((file) => `  ${file}\n`).join('')}`)
  process.stdout.write(`next: cd ${basename(folder)} && npm install && npm test && npm start\n`)
}

async function purge(name: string, { yes = false }: { yes?: boolean }): Promise<void> {
  // No plugin is imported but the one: what is broken elsewhere must not be in the way.
  const { config, base } = readConfig(env())
  const plugin = await findPlugin(name, { listed: config.plugins, base })
  const { dataDir, databaseUrl: url } = config
  const tables = await purgePlugin(plugin, { dataDir, url }, yes)
  const what = `${tables.length} tables of plugin "${plugin.spec.name}"${tables.map((table) => `\n  ${table}`).join('')}\n`
  process.stdout.write(`${yes ? 'removed' : 'would remove'} ${what}`)
  if (yes) return
  process.stderr.write('nothing was changed; add --yes to remove them with everything in them\n')
  process.exitCode = 1
}

function dry({ config, plugins }: Loaded): Gateway {
  return createGateway({
    plugins,
    migrations,
    version: VERSION,
    log: createLog({ level: 'silent' }),
    dataDir: config.dataDir,
    keys: '',
  })
}
