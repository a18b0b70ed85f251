import { createAudit } from './audit/audit.ts'
import { startRetention } from './audit/retention.ts'
import { createGate } from './auth.ts'
import { asyncWork } from './background.ts'
import { pluginDb } from './db/facade.ts'
import { migrate } from './db/migrate.ts'
import { type Database, openDatabase } from './db/open.ts'
import { createWriter } from './db/writer.ts'
import { describe } from './describe.ts'
import { gatewayError } from './errors.ts'
import { createEvents } from './events/events.ts'
import { createApp } from './http/app.ts'
import { createAuditor } from './http/audited.ts'
import { createJsonReader } from './http/body.ts'
import { createFailures } from './http/failures.ts'
import { type HttpServer, listen } from './http/server.ts'
import { closePlugins, PATIENCE, type Running, startPlugins } from './lifecycle.ts'
import { mountRoutes } from './mount.ts'
import type { GatewayOptions } from './options.ts'
import { type Prepared, prepare } from './prepare.ts'
import { createSessionManager } from './sessions/manager.ts'
import { openSessionStore } from './sessions/store.ts'
import type { Description, GatewayServices, Kernel, ServiceName } from './types/plugin.ts'
import { openKeyring } from './vault/keyring.ts'
import { createVault } from './vault/vault.ts'

export type { GatewayOptions }

export interface Gateway {
  /** Once started. */
  readonly url: string
  start(): Promise<void>
  /** Idempotent. Running requests finish or fail clearly; links stay linked. */
  stop(): Promise<void>
  describe(): Description
  /** A service that a running plugin provides. */
  service<N extends ServiceName>(name: N): GatewayServices[N]
}

/** Running requests get this long before their work is cut short. */
const GRACE_MS = 3_000
const BODY = { each: 64 * 1024 * 1024, together: 256 * 1024 * 1024 }

/**
 * A gateway of the given plugins. Checks everything that can be checked without touching a disk or a
 * network at once, and throws START_FAILED with all faults.
 */
export function createGateway(options: GatewayOptions): Gateway {
  const prepared = prepare(options.plugins)
  let run: Run | undefined
  let stopping: Promise<void> | undefined
  const stop = async (): Promise<void> => {
    stopping ??= run?.stop()
    await stopping
  }
  return {
    get url() {
      return run?.server.url ?? ''
    },
    async start() {
      if (run) return
      run = await boot(options, prepared)
      void run.database.taken.then(() => {
        void stop()
        options.onTaken?.()
      })
    },
    stop,
    describe: () => describe(options.version, prepared, run?.running),
    service(name) {
      if (!run || !(name in run.services))
        throw gatewayError('PLUGIN_UNAVAILABLE', [name, 'no running plugin provides it'])
      return run.services[name] as GatewayServices[typeof name]
    },
  }
}

interface Run {
  readonly database: Database
  readonly server: HttpServer
  readonly running: readonly Running[]
  readonly services: Readonly<Record<string, unknown>>
  stop(): Promise<void>
}

async function boot(options: GatewayOptions, prepared: readonly Prepared[]): Promise<Run> {
  const database = await openDatabase({
    dataDir: options.dataDir,
    url: options.databaseUrl,
    schema: options.databaseSchema,
    log: options.log,
  })
  try {
    return await bootOn(database, options, prepared)
  } catch (error) {
    await database.close()
    throw error
  }
}

async function bootOn(
  database: Database,
  options: GatewayOptions,
  prepared: readonly Prepared[],
): Promise<Run> {
  const { log, patience: pluginPatience = PATIENCE } = options
  await migrate(database.main, 'kernel', options.migrations)
  const writer = createWriter(database.main)
  const work = asyncWork(log)
  const vault = createVault(openKeyring(options.keys))
  const audit = createAudit(database, writer)
  const store = await openSessionStore(database, writer, vault, options.allowWeakTokens ?? false)
  const events = createEvents({
    database,
    writer,
    log,
    prepared,
    vault,
    retentionDays: options.retentionDays ?? 14,
  })
  let services: Record<string, unknown> = {}
  const sessions = createSessionManager({
    driver: () => {
      const driver = services['driver'] as GatewayServices['driver'] | undefined
      if (!driver) throw gatewayError('PLUGIN_UNAVAILABLE', ['driver', 'no enabled plugin provides a driver'])
      return driver
    },
    store,
    raise: events.raise,
    log,
    ...(options.pace ? { pace: options.pace } : {}),
  })
  let running: readonly Running[] = []
  const kernelOf = (entry: Prepared): Kernel<unknown> => ({
    config: entry.config,
    log: log.child({ plugin: entry.name }),
    db: pluginDb(database, writer, entry.name),
    vault,
    events,
    sessions,
    audit,
    settings: {
      version: options.version,
      dataDir: options.dataDir,
      allowPrivateHosts: options.allowPrivateHosts ?? [],
    },
    describe: () => describe(options.version, prepared, running),
    background: work.own,
  })

  const started = await startPlugins({ prepared, database, kernelOf, log, patience: pluginPatience })
  running = started.running
  services = started.services
  const patience = new AbortController()
  const app = createApp({
    routes: mountRoutes(running),
    admit: createGate({
      adminToken: options.adminToken,
      sessions,
      failures: createFailures(),
      onBurst: (entry) => work.own(audit.note(entry), 'noting a burst of wrong tokens'),
    }),
    auditor: createAuditor(audit, log),
    proxies: options.trustProxy ?? 0,
    bodies: createJsonReader({ ...BODY, ...(options.bodyLimit ? { each: options.bodyLimit } : {}) }),
    log,
    stopping: patience.signal,
  })
  await events.start(running)
  const server = await listen(app, options).catch(async (error) => {
    await closePlugins(running, log, pluginPatience)
    throw error
  })
  log.info({ url: server.url, database: database.label, plugins: prepared.length }, 'wamux listens')
  work.own(sessions.restore(), 'restoring sessions')
  const stopRetention = startRetention(audit, log)

  return {
    database,
    server,
    running,
    services,
    async stop() {
      log.info('stopping')
      stopRetention()
      await server.close(GRACE_MS, async () => {
        patience.abort(gatewayError('STOPPING'))
        await sessions.stop()
      })
      await sessions.stop()
      await events.stop()
      await closePlugins(running, log, pluginPatience)
      await work.settled()
      await writer.settled()
      await database.close()
      log.info('stopped')
    },
  }
}
