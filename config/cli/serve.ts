import { resolve } from 'node:path'
import closeWithGrace from 'close-with-grace'
import { createGateway, type Gateway } from '../../kernel/gateway.ts'
import { createLog } from '../../kernel/logging/log.ts'
import { openKeyring } from '../../kernel/vault/keyring.ts'
import type { WatchdogOptions } from '../../kernel/watchdog/watchdog.ts'
import { waitForStorage } from '../../kernel/wiring/storage-wait.ts'
import { migrations } from '../../migrations/index.ts'
import { adminTokenOf } from '../admin-token.ts'
import { commandFailed, isGatewayError, reasonOf } from '../errors.ts'
import { checkMasterKeys } from '../key-check.ts'
import type { LoadedConfig } from '../load.ts'
import { knownKeysOf, masterKeysOf } from '../master-keys.ts'
import type { Config } from '../schema.ts'
import { secondCopies } from '../second-copies.ts'
import type { Finding } from './doctor/finding.ts'
import { checkFiles, checkPort } from './doctor/host.ts'
import { releaseHeap } from './heap.ts'
import { endOfLife, RECOMMENDED_NODE } from './node-life.ts'
import { ROOT, VERSION } from './package.ts'
import { ensurePages } from './pages.ts'

/** A supervisor that sends SIGTERM usually waits ten seconds. */
const STOP_MS = 9_500

/** Until signals are handled, they end the process. */
const NEVER = new AbortController().signal

/**
 * Runs a gateway until the process is asked to end.
 *
 * @param after runs once it has stopped. @param started runs once it listens.
 */
export async function serve(
  loaded: LoadedConfig,
  after?: () => void,
  started?: (gateway: Gateway, adminToken: string) => Promise<void>,
): Promise<void> {
  try {
    await run(loaded, after, started)
  } catch (error) {
    throw await startFailure(error, loaded.config)
  }
}

async function run(...[loaded, after, started]: Parameters<typeof serve>): Promise<void> {
  const { config, plugins } = loaded
  // Checked before anything is created: a new key would hide that the old one is missing.
  await waitForStorage(() => checkMasterKeys(config, knownKeysOf(config)), {
    log: createLog({ level: config.logLevel, format: config.logFormat }),
    signal: NEVER,
  })
  const { token, file } = adminTokenOf(config)
  const master = masterKeysOf(config)
  const output = { level: config.logLevel, format: config.logFormat }
  const log = createLog({ ...output, mac: openKeyring(master.keys).mac })
  const ended = endOfLife(process.versions.node, new Date())
  if (ended)
    log.warn(
      { node: process.versions.node, ended },
      `this version of Node.js is at its end of life and gets no security fixes: install Node.js ${RECOMMENDED_NODE}`,
    )
  for (const copy of secondCopies(loaded, ROOT)) log.warn(copy)
  const { databaseUrl, databaseDirectUrl, watchdogMs, ...rest } = config
  const gateway = createGateway({
    ...rest,
    ...(databaseUrl ? { databaseUrl } : {}),
    ...(databaseDirectUrl ? { databaseDirectUrl } : {}),
    ...(watchdogMs > 0 ? { watchdog: watchdogOf(watchdogMs, config.logLevel) } : {}),
    plugins,
    migrations,
    version: VERSION,
    log,
    adminToken: token,
    keys: master.keys,
    onLockLost: () => close(),
  })
  // An unhandled rejection of one plugin must not stop the gateway: it is logged below.
  const { close } = closeWithGrace(
    {
      delay: STOP_MS,
      logger: false,
      skip: ['unhandledRejection'],
      onTimeout: () => log.fatal({ seconds: STOP_MS / 1000 }, 'not stopped in time; the process ends'),
    },
    async ({ err }) => {
      if (err) log.fatal({ err }, 'uncaught')
      await gateway.stop()
      after?.()
    },
  )
  process.on('unhandledRejection', (err) => log.error({ err }, 'unhandled rejection'))
  await ensurePages(log)
  const hasStarted = await gateway.start().then(
    () => true,
    (error: unknown) => {
      // It was stopped meanwhile, which ends the process.
      if (isGatewayError(error) && error.code === 'STOPPING') return false
      throw error
    },
  )
  if (!hasStarted) return
  const shown = started?.(gateway, token)
  releaseHeap()
  if (file) log.info({ file }, 'admin token file')
  if (master.isNew)
    log.warn(
      { file: master.file },
      'created a master key: back it up, because stored data can not be read without it',
    )
  await shown
}

/** Its thread writes to standard output like the log, if errors are logged at all. */
function watchdogOf(blockedMs: number, logLevel: string): WatchdogOptions {
  return ['fatal', 'silent'].includes(logLevel) ? { blockedMs } : { blockedMs, output: 1 }
}

const ANOTHER_FOLDER = 'give the user of the gateway another folder with WAMUX_DATA_DIR'

/** The error that ends a start: worded by `doctor` if the port or the data folder is at fault. */
async function startFailure(error: unknown, config: Config): Promise<unknown> {
  const { syscall, path = '' } = systemErrorOf(error)
  if (syscall === 'listen') return failed(error, await checkPort(config), 'stop it, or set WAMUX_PORT')
  if (!syscall || !resolve(path).startsWith(resolve(config.dataDir))) return error
  const finding = (await checkFiles(config.dataDir)).find(({ state }) => state === 'fail')
  // A full disk, for example, is already described.
  if (!finding && isGatewayError(error)) return error
  return failed(error, finding, ANOTHER_FOLDER)
}

function systemErrorOf(error: unknown): Partial<NodeJS.ErrnoException> {
  return ((isGatewayError(error) ? error.cause : error) ?? {}) as Partial<NodeJS.ErrnoException>
}

function failed(cause: unknown, finding: Finding | undefined, otherwise: string): Error {
  // There was nothing to check.
  const { found, advice = otherwise } =
    finding && finding.state !== 'skip' ? finding : { found: reasonOf(cause) }
  return commandFailed(`${found}; ${advice}`, cause)
}
