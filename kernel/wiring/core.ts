import type { Database } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { pluginDb } from '../db/plugin-db.ts'
import { createWriter, type Writer } from '../db/writer.ts'
import { gatewayError } from '../errors.ts'
import { createEvents, type RunningEvents } from '../events/events.ts'
import type { GatewayOptions } from '../options.ts'
import { createSessionManager, type SessionManager } from '../sessions/manager.ts'
import { openSessionStore } from '../sessions/store.ts'
import type { ConsumerControl, ConsumerRunner } from '../types/consumers.ts'
import { ALL_OWNED, type Ownership } from '../types/ownership.ts'
import type { Description, GatewayServices, Kernel } from '../types/plugin.ts'
import { createVault } from '../vault/vault.ts'
import { type AsyncWork, asyncWork } from './background.ts'
import { capabilities } from './capabilities.ts'
import { type Contributions, collectContributions } from './contributions.ts'
import { describe } from './describe.ts'
import { closePlugins, PLUGIN_TIMEOUTS, type Running, readyPlugins, startPlugins } from './lifecycle.ts'
import { createPeers } from './peers.ts'
import type { Prepared } from './prepare.ts'

/** Everything behind the HTTP edge: storage, sessions, events, plugins. */
export interface Core {
  readonly database: Database
  readonly writer: Writer
  readonly sessions: SessionManager
  readonly events: RunningEvents
  readonly work: AsyncWork
  readonly ownership: () => Ownership
  /** The plugins, once they have started. */
  readonly running: readonly Running[]
  /** What they provide, by name. */
  readonly services: Readonly<Record<string, unknown>>
  describe(): Description
  startPlugins(): Promise<void>
  closePlugins(): Promise<void>
}

/** Opens the storage and creates the parts; no plugin runs yet. */
export async function createCore(options: GatewayOptions, prepared: readonly Prepared[]): Promise<Core> {
  const isShared = prepared.some(({ plugin }) => plugin.spec.provides?.includes('ownership'))
  const database = await options.openDatabase(isShared)
  try {
    await migrate(database.main, 'kernel', options.migrations)
    return await coreOn(database, options, prepared)
  } catch (error) {
    await database.close()
    throw error
  }
}

async function coreOn(
  database: Database,
  options: GatewayOptions,
  prepared: readonly Prepared[],
): Promise<Core> {
  const { log, version, pluginTimeouts = PLUGIN_TIMEOUTS, retentionDays = 14 } = options
  let running: readonly Running[] = []
  let services: Readonly<Record<string, unknown>> = {}
  let contributions: Contributions = new Map()
  const unknown = database.isShared ? NONE_OWNED : ALL_OWNED
  const ownership = (): Ownership => (services['ownership'] as Ownership | undefined) ?? unknown
  const writer = createWriter({ ...database, ownership })
  const work = asyncWork(log)
  const peers = createPeers()
  const vault = createVault(options.openKeyring())
  const store = await openSessionStore(database, writer, vault, options.allowWeakTokens ?? true)
  const runner = (): ConsumerRunner | undefined => services['consumerRunner'] as ConsumerRunner | undefined
  const events = createEvents({ database, writer, log, prepared, vault, retentionDays, ownership, runner })
  const sessions = createSessionManager({
    driver: () => driverOf(services),
    ownership,
    store,
    raise: events.raise,
    log,
    ...(options.pace ? { pace: options.pace } : {}),
  })
  const describeAll = (): Description => describe(version, prepared, running, events.failuresOf)
  const kernelOf = (entry: Prepared): Kernel<unknown> => ({
    config: entry.config,
    log: log.child({ plugin: entry.name }),
    db: pluginDb(database, writer, entry.name),
    vault,
    events,
    consumers: controlOf(runner),
    sessions,
    peers,
    settings: { version, dataDir: options.dataDir, allowPrivateHosts: options.allowPrivateHosts ?? [] },
    describe: describeAll,
    capabilities: () => capabilities(running),
    statistics: () => ({ ...writer.statistics(), consumerLag: lagOf(runner()) }),
    contributions: (contract) => (contributions.get(contract) ?? []) as never,
    background: work.own,
  })

  return {
    database,
    writer,
    sessions,
    events,
    work,
    ownership,
    get running() {
      return running
    },
    get services() {
      return services
    },
    describe: describeAll,
    async startPlugins() {
      const started = await startPlugins({ prepared, database, kernelOf, log, timeouts: pluginTimeouts })
      running = started.running
      services = started.services
      contributions = collectContributions(running, log)
      await events.start(running)
      await readyPlugins(running, pluginTimeouts)
    },
    closePlugins: () => closePlugins(running, log, pluginTimeouts),
  }
}

/** Until the plugins have started, in a process that shares its database. */
const NONE_OWNED: Ownership = {
  ...ALL_OWNED,
  owns: () => false,
  fence() {
    throw gatewayError('FENCED')
  },
}

/** The consumers, for plugins that may ask for them before their runner has started. */
function controlOf(runner: () => ConsumerRunner | undefined): ConsumerControl {
  const running = (): ConsumerRunner => {
    const found = runner()
    if (!found) throw gatewayError('ITEM_UNKNOWN', ['Consumer'])
    return found
  }
  return {
    list: () => runner()?.list() ?? [],
    move: async (...moved) => running().move(...moved),
    retry: async (...retried) => running().retry(...retried),
  }
}

function lagOf(runner: ConsumerRunner | undefined): Record<string, number> {
  return Object.fromEntries((runner?.list() ?? []).map(({ name, lag }) => [name, lag]))
}

function driverOf(services: Readonly<Record<string, unknown>>): GatewayServices['driver'] {
  const driver = services['driver'] as GatewayServices['driver'] | undefined
  if (!driver) throw gatewayError('PLUGIN_UNAVAILABLE', ['driver', 'no enabled plugin provides a driver'])
  return driver
}
