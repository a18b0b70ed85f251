#!/usr/bin/env node
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import closeWithGrace from 'close-with-grace'
import { Command } from 'commander'
import { adminTokenOf } from '../config/admin-token.ts'
import { type Loaded, loadConfig } from '../config/load.ts'
import { migrations } from '../migrations/index.ts'
import { isGatewayError } from './errors.ts'
import { createGateway, type Gateway } from './gateway.ts'
import { createLog } from './log.ts'

const VERSION = versionOf(new URL(import.meta.url))
const env = process.env

const program = new Command('wamux')
  .description('A gateway that gives WhatsApp accounts an HTTP interface')
  .version(VERSION)
program.command('start', { isDefault: true }).description('start the gateway for real accounts').action(start)
program.command('sandbox').description('start it on a local network with simulated phones').action(sandbox)
program.command('network').description('start only the local network, for other processes').action(network)
program.command('check').description('check configuration and plugins, touching nothing').action(check)
program.command('plugins').description('list enabled plugins with their routes').action(plugins)

try {
  await program.parseAsync()
} catch (error) {
  if (!isGatewayError(error)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

async function start(): Promise<void> {
  await serve(await loadConfig(env))
}

async function sandbox(): Promise<void> {
  // Its own folder: sessions of the local network and real ones never meet.
  const dataDir = env['WAMUX_DATA_DIR'] ?? './data/sandbox'
  await serve(await loadConfig({ ...env, WAMUX_DATA_DIR: dataDir }, { sandbox: true }))
}

async function network(): Promise<void> {
  // The network lives in memory; only its plumbing wants a database.
  const dataDir = mkdtempSync(join(tmpdir(), 'wamux-network-'))
  const off = Object.fromEntries(
    ['docs', 'http', 'media', 'messages', 'send', 'session', 'webhook'].map((name) => [name, false]),
  )
  const loaded = await loadConfig({ ...env, WAMUX_DATA_DIR: dataDir }, { ...off, sandbox: true })
  await serve(loaded, () => rmSync(dataDir, { recursive: true, force: true }))
}

async function serve({ config, plugins }: Loaded, after?: () => void): Promise<void> {
  const log = createLog({ level: config.logLevel })
  const { token, file } = adminTokenOf(config)
  const { databaseUrl, ...rest } = config
  const gateway = createGateway({
    ...rest,
    ...(databaseUrl ? { databaseUrl } : {}),
    plugins,
    migrations,
    version: VERSION,
    log,
    adminToken: token,
  })
  closeWithGrace({ delay: 9_500, logger: false }, async ({ err }) => {
    if (err) log.fatal({ err }, 'uncaught')
    await gateway.stop()
    after?.()
  })
  process.on('unhandledRejection', (err) => log.error({ err }, 'unhandled rejection'))
  await gateway.start()
  if (file) log.info({ file }, 'the admin token is in this file')
}

async function check(): Promise<void> {
  const gateway = await dry()
  process.stdout.write(`ok: ${gateway.describe().plugins.length} plugins\n`)
}

async function plugins(): Promise<void> {
  for (const { name, version, routes } of (await dry()).describe().plugins) {
    process.stdout.write(`${name} ${version}\n`)
    for (const { method, path, spec } of routes)
      process.stdout.write(`  ${method} ${path}  ${spec.summary}\n`)
  }
}

async function dry(): Promise<Gateway> {
  const { config, plugins } = await loadConfig(env)
  return createGateway({
    plugins,
    migrations,
    version: VERSION,
    log: createLog({ level: 'silent' }),
    dataDir: config.dataDir,
  })
}

/** package.json lies one folder up in source, two in the build. */
function versionOf(here: URL): string {
  for (const path of ['../package.json', '../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(path, here), 'utf8')) as Record<
        string,
        string
      >
      if (name === 'wamux' && version) return version
    } catch {
      // Not there: the other one is.
    }
  }
  return '0.0.0'
}
