import { withTimeout } from './async/time-out.ts'
import { gatewayError, reasonOf } from './errors.ts'
import { addRedactions } from './logging/redact.ts'
import type { GatewayOptions } from './options.ts'
import type { Log } from './types/driver.ts'
import type { Description, GatewayServices, ServiceName } from './types/plugin.ts'
import { type Core, createCore } from './wiring/core.ts'
import { describe } from './wiring/describe.ts'
import { type Edge, startEdge } from './wiring/edge.ts'
import { type Prepared, prepare } from './wiring/prepare.ts'
import { waitForStorage } from './wiring/storage-wait.ts'

export type { GatewayOptions }

export interface Gateway {
  /** '' until the gateway listens. */
  readonly url: string
  start(): Promise<void>
  /** Idempotent. Running requests finish, or fail with STOPPING; sessions stay linked. */
  stop(): Promise<void>
  describe(): Description
  /** A service that a running plugin provides. */
  service<N extends ServiceName>(name: N): GatewayServices[N]
}

/**
 * Creates a gateway of the given plugins. Checks at once everything that needs neither disk nor network, and throws
 * START_FAILED with all faults.
 */
export function createGateway(options: GatewayOptions): Gateway {
  const prepared = prepare(options.plugins, options)
  addRedactions(prepared.flatMap(({ plugin }) => plugin.spec.redact ?? []))
  let run: Run | undefined
  let stopping: Promise<void> | undefined
  const stopped = new AbortController()
  const stop = async (): Promise<void> => {
    stopped.abort()
    stopping ??= run?.stop()
    await stopping
  }
  return {
    get url() {
      return run?.edge.url ?? ''
    },
    async start() {
      if (run) return
      const { log, storageSeconds: seconds } = options
      run = await waitForStorage(() => boot(options, prepared), { log, seconds, signal: stopped.signal })
      void run.core.database.lockLost.then(() => {
        void stop()
        options.onLockLost?.()
      })
    },
    stop,
    describe: () => run?.core.describe() ?? describe(options.version, prepared),
    service(name) {
      if (!run || !(name in run.core.services))
        throw gatewayError('PLUGIN_UNAVAILABLE', [name, 'no running plugin provides it'])
      return run.core.services[name] as GatewayServices[typeof name]
    },
  }
}

interface Run {
  readonly core: Core
  readonly edge: Edge
  stop(): Promise<void>
}

async function boot(options: GatewayOptions, prepared: readonly Prepared[]): Promise<Run> {
  const { log } = options
  const core = await createCore(options, prepared)
  let edge: Edge | undefined
  /** The order matters: a stopping part may still use those that stop after it. */
  const stops: readonly Stop[] = [
    ['ownership', async () => core.ownership().drain?.()],
    ['edge', async () => edge?.close()],
    ['sessions', core.sessions.stop, core.sessions.stopping],
    ['events', core.events.stop],
    ['plugins', core.closePlugins],
    ['background work', core.work.settled, core.work.pending],
    ['writer', core.writer.settled],
    ['database', core.database.close],
    ['watchdog', async () => core.watchdog?.stop()],
  ]
  try {
    await core.startPlugins()
    edge = await startEdge(options, core)
  } catch (error) {
    // Rejects with the start-up error; stopAll logs its own.
    await stopAll(stops, log).catch(() => undefined)
    throw error
  }
  log.info({ url: edge.url, database: core.database.label, plugins: prepared.length }, 'gateway listening')
  core.work.own(core.sessions.restore(), 'restoring sessions')
  return {
    core,
    edge,
    async stop() {
      log.info('stopping')
      await stopAll(stops, log)
      log.info('stopped')
    },
  }
}

/** A part of the gateway, the function that stops it, and a description of what it still waits for. */
export type Stop = readonly [name: string, stop: () => Promise<void>, waitsFor?: () => readonly string[]]

/** A supervisor may soon kill the process: before that, the log must say what takes so long. */
const SLOW_MS = 2_000

/**
 * Stops parts one after the other. A failure is logged, and the rest is still stopped.
 *
 * @returns rejects with the first failure, after all parts.
 */
export async function stopAll(stops: readonly Stop[], log: Log, slowMs = SLOW_MS): Promise<void> {
  const failures: unknown[] = []

  async function stopOne([part, stop, waitsFor]: Stop): Promise<void> {
    const stopped = stop().then(() => true)
    for (let ms = slowMs; !(await withTimeout(stopped, slowMs, () => false)); ms += slowMs)
      log.warn({ part, seconds: ms / 1000, waitsFor: waitsFor?.() }, 'gateway part is still stopping')
  }

  for (const one of stops) {
    await stopOne(one).catch((error: unknown) => {
      failures.push(error)
      log.error({ part: one[0], reason: reasonOf(error) }, 'gateway part failed to stop')
    })
  }
  if (failures.length > 0) throw failures[0]
}
