import { mkdirSync } from 'node:fs'
import type { Database } from '../db/database.ts'
import { openDatabase } from '../db/engines/open.ts'
import { limitsOf } from '../db/engines/postgres-limits.ts'
import { migrate } from '../db/migrate.ts'
import { pluginDb } from '../db/plugin-db.ts'
import { createWriter, type Writer } from '../db/writer.ts'
import { gatewayError, reasonOf } from '../errors.ts'
import { createEvents, handlingOf, type RunningEvents, translationOf } from '../events/events.ts'
import { createStreams, type Streams } from '../http/streams.ts'
import { droppedLines } from '../logging/standard-output.ts'
import type { GatewayOptions } from '../options.ts'
import { createSessionManager, type SessionManager } from '../sessions/manager.ts'
import { openSessionStore } from '../sessions/store.ts'
import type { ConsumerControl } from '../types/consumers.ts'
import type { Log } from '../types/driver.ts'
import { ALL_OWNED, type Ownership } from '../types/ownership.ts'
import type { Contribution, Description, GatewayServices, Kernel } from '../types/plugin.ts'
import { openKeyring } from '../vault/keyring.ts'
import { createVault } from '../vault/vault.ts'
import { type Activity, createActivity, type Work } from '../watchdog/activity.ts'
import { startWatchdog, type Watchdog } from '../watchdog/watchdog.ts'
import { describe } from './describe.ts'
import {
  byRank,
  closePlugins,
  PLUGIN_TIMEOUTS,
  type Running,
  readyPlugins,
  startPlugins,
} from './lifecycle.ts'
import { nameOf } from './mount.ts'
import { createPeers } from './peers.ts'
import type { Prepared } from './prepare.ts'

/** Everything behind the HTTP edge: storage, sessions, events, plugins. */
export interface Core {
  readonly database: Database
  readonly writer: Writer
  readonly sessions: SessionManager
  readonly events: RunningEvents
  readonly work: AsyncWork
  readonly activity: Activity
  readonly watchdog: Watchdog | undefined
  readonly streams: Streams
  readonly ownership: () => Ownership
  /** The plugins, once they have started. */
  readonly running: readonly Running[]
  /** Their services, by name. */
  readonly services: Readonly<Record<string, unknown>>
  readonly contributions: Kernel<unknown>['contributions']
  describe(): Description
  startPlugins(): Promise<void>
  closePlugins(): Promise<void>
}

/** Opens the storage and creates the parts; no plugin runs yet. */
export async function createCore(options: GatewayOptions, prepared: readonly Prepared[]): Promise<Core> {
  const isShared = prepared.some(({ plugin }) => plugin.spec.provides?.includes('ownership'))
  const { dataDir, log, databaseUrl: url, databaseDirectUrl: directUrl, databaseSchema: schema } = options
  createDataFolder(dataDir)
  const sharing = prepared.find(({ plugin }) => plugin.spec.shares)
  const limits = limitsOf(sharing?.plugin.spec.shares?.(sharing.config))
  const database = await openDatabase({ dataDir, url, directUrl, schema, isShared, limits, log })
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
  const activity = createActivity(worksOf(prepared))
  const streams = createStreams(options)
  const watchdog = options.watchdog && startWatchdog(activity, log, options.watchdog)
  const peers = createPeers()
  const vault = createVault(openKeyring(options.keys))
  const store = await openSessionStore(database, writer, vault, options.allowWeakTokens ?? true)
  const events = createEvents({ database, writer, log, prepared, vault, retentionDays, ownership, activity })
  const sessions = createSessionManager({
    driver: () => driverOf(services),
    ownership,
    store,
    raise: events.raise,
    log,
    peers,
    ...(options.reconnect ? { reconnect: options.reconnect } : {}),
  })
  const describeAll = (): Description => describe(version, prepared, running, events.failuresOf)
  const contributionsTo: Core['contributions'] = (contract) => (contributions.get(contract) ?? []) as never
  const kernelOf = (entry: Prepared): Kernel<unknown> => ({
    config: entry.config,
    log: log.child({ plugin: entry.name }),
    db: pluginDb(database, writer, entry.name),
    vault,
    events,
    consumers: events.consumers,
    sessions,
    peers,
    settings: { version, dataDir: options.dataDir, allowPrivateHosts: options.allowPrivateHosts ?? [] },
    describe: describeAll,
    statistics: () => ({
      ...writer.statistics(),
      consumerLag: lagOf(events.consumers),
      blocked: watchdog?.blocked ?? [],
      openStreams: streams.open,
      droppedLogLines: droppedLines(),
    }),
    contributions: contributionsTo,
    background: work.own,
  })

  return {
    database,
    writer,
    sessions,
    events,
    work,
    activity,
    watchdog,
    streams,
    ownership,
    get running() {
      return running
    },
    get services() {
      return services
    },
    contributions: contributionsTo,
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

function worksOf(prepared: readonly Prepared[]): Work[] {
  return prepared.flatMap(({ name: plugin, routes, plugin: { spec } }) => [
    ...routes.map(({ route }) => ({ name: nameOf(route), plugin })),
    ...Object.keys(spec.translate ?? {}).map((signal) => ({ name: translationOf(signal), plugin })),
    ...Object.keys(spec.on ?? {}).map((type) => ({ name: handlingOf(type), plugin })),
  ])
}

/** Until the plugins have started, in a process that shares its database. */
const NONE_OWNED: Ownership = {
  ...ALL_OWNED,
  owns: () => false,
  fence() {
    throw gatewayError('FENCED')
  },
}

function lagOf(consumers: ConsumerControl): Record<string, number> {
  return Object.fromEntries(consumers.list().map(({ name, lag }) => [name, lag]))
}

function driverOf(services: Readonly<Record<string, unknown>>): GatewayServices['driver'] {
  const driver = services['driver'] as GatewayServices['driver'] | undefined
  if (!driver) throw gatewayError('PLUGIN_UNAVAILABLE', ['driver', 'no enabled plugin provides a driver'])
  return driver
}

/** Owns promises that are not awaited elsewhere: a failure is logged, and stopping waits for them. */
interface AsyncWork {
  own(work: Promise<unknown>, what: string): void
  settled(): Promise<void>
  /** Work still running. */
  pending(): string[]
}

function asyncWork(log: Log): AsyncWork {
  const open = new Map<Promise<unknown>, string>()
  return {
    own(work, what) {
      const watched = work
        .catch((error: unknown) => log.error({ what, reason: reasonOf(error) }, 'background work failed'))
        .finally(() => open.delete(watched))
      open.set(watched, what)
    },
    async settled() {
      while (open.size > 0) await Promise.all(open.keys())
    },
    pending: () => [...open.values()],
  }
}

type Contributions = ReadonlyMap<string, readonly Contribution[]>

/** Contributions of the running plugins, by contract. Throws PLUGIN_FAILED; a failure of an optional plugin is logged. */
function collectContributions(running: readonly Running[], log: Log): Contributions {
  const collected = new Map<string, Contribution[]>()
  for (const { entry, container } of byRank(running)) {
    for (const [contract, make] of container ? Object.entries(entry.plugin.spec.contributes ?? {}) : []) {
      try {
        const value = (make as (deps: unknown) => never)(container?.cradle)
        collected.set(contract, [...(collected.get(contract) ?? []), { plugin: entry.name, value }])
      } catch (cause) {
        const step = `its contribution to "${contract}"`
        const fault = gatewayError('PLUGIN_FAILED', [entry.name, step, reasonOf(cause)], { cause })
        if (!entry.optional) throw fault
        log.error({ plugin: entry.name, err: fault }, 'contribution left out')
      }
    }
  }
  return collected
}

/**
 * Creates the folder that plugins are given as `settings.dataDir`, for this user only: with PostgreSQL and secrets from the
 * environment, nothing else does. Throws DATA_FOLDER.
 */
function createDataFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw gatewayError('DATA_FOLDER', [path, reasonOf(cause)], { cause })
  }
}
