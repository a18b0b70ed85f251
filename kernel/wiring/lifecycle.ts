import type { AwilixContainer } from 'awilix'
import { withTimeout } from '../async/time-out.ts'
import type { Database } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import {
  type GatewayError,
  gatewayError,
  isGatewayError,
  reasonOf,
  type StorageError,
  storageErrorIn,
} from '../errors.ts'
import type { Log } from '../types/driver.ts'
import type { Kernel } from '../types/plugin.ts'
import { createPluginContainer, dispose } from './container.ts'
import type { Prepared } from './prepare.ts'
import { within } from './within.ts'

export interface Running {
  readonly entry: Prepared
  readonly container: AwilixContainer | undefined
  /** Why an optional plugin failed to start. */
  readonly error: string | undefined
}

/** In the order of their hooks. */
export function byRank(running: readonly Running[]): Running[] {
  return [...running].sort((a, b) => a.entry.rank - b.entry.rank)
}

interface StartParts {
  prepared: readonly Prepared[]
  database: Database
  kernelOf(entry: Prepared): Kernel<unknown>
  log: Log
  timeouts: PluginTimeouts
}

/** Seconds. */
export interface PluginTimeouts {
  readonly setup: number
  readonly close: number
}

/** Time limit for a database check after a plugin has waited for it in vain. */
const PROBE_MS = 2_000

export const PLUGIN_TIMEOUTS: PluginTimeouts = { setup: 10, close: 5 }

/**
 * Starts plugins in order: tables, container, setup, services. All failures are collected and thrown as one START_FAILED,
 * after the started plugins have been closed. The failure of an optional plugin fails only the plugins that need it. A
 * storage failure is no plugin's fault: it ends the whole start with its own error.
 */
export async function startPlugins(
  parts: StartParts,
): Promise<{ running: Running[]; services: Record<string, unknown> }> {
  const running: Running[] = []
  const services: Record<string, unknown> = {}
  const faults: GatewayError[] = []
  for (const entry of parts.prepared) {
    try {
      const container = await startOne(entry, parts, services)
      running.push({ entry, container, error: undefined })
    } catch (cause) {
      const failure = await storageFailureOf(cause, parts.database)
      if (failure) {
        await closePlugins(running, parts.log, parts.timeouts)
        throw failure
      }
      const fault = cause as GatewayError
      running.push({ entry, container: undefined, error: reasonOf(fault.cause ?? fault) })
      parts.log.error({ plugin: entry.name, err: fault, optional: entry.optional }, 'plugin failed to start')
      if (!entry.optional) faults.push(fault)
    }
  }
  if (faults.length > 0) {
    await closePlugins(running, parts.log, parts.timeouts)
    throw gatewayError('START_FAILED', [faults.map((fault) => `- ${fault.message}`).join('\n')], {
      cause: faults[0],
    })
  }
  return { running, services }
}

/** The storage failure because of which a plugin did not start: its error, or a silent database. */
async function storageFailureOf(fault: unknown, { read }: Database): Promise<StorageError | undefined> {
  const failure = storageErrorIn(fault)
  if (failure || !isGatewayError(fault) || fault.code !== 'PLUGIN_TIMEOUT') return failure
  const answer = read.raw('SELECT 1').then(
    () => undefined,
    (error: unknown) => storageErrorIn(error),
  )
  return withTimeout(answer, PROBE_MS, () => gatewayError('STORAGE_UNAVAILABLE') as StorageError)
}

/** Rejects with an error of the table that names the plugin and the step. */
async function startOne(
  entry: Prepared,
  parts: StartParts,
  services: Record<string, unknown>,
): Promise<AwilixContainer> {
  const { name, fault } = entry
  if (fault) throw fault
  const { migrations, needs = [], wants = [], decorates = {}, ...spec } = entry.plugin.spec
  const missing = [...needs, ...Object.keys(decorates)].find((need) => !(need in services))
  if (missing) throw gatewayError('PLUGIN_NEED_FAILED', [name, missing])
  const foreign = Object.fromEntries([...needs, ...wants].map((used) => [used, services[used]]))
  if (migrations) await step(name, 'migrations', () => migrate(parts.database.main, name, migrations))
  const kernel = parts.kernelOf(entry)
  const container = await step(name, 'services', () =>
    createPluginContainer(name, kernel, foreign, spec.services?.(kernel) ?? {}),
  )
  try {
    const { setup } = spec
    if (setup)
      await step(name, 'setup', () =>
        within(setup(container.cradle as never), parts.timeouts.setup, [name, 'setup']),
      )
    // All or none: no plugin must start with only some of another plugin's services.
    const provided = await step(name, 'services', () => [
      ...entry.provides.map((service) => [service, container.resolve(service)]),
      ...Object.entries(decorates).map(([service, wrap]) => [
        service,
        (wrap as (next: unknown, deps: unknown) => unknown)(services[service], container.cradle),
      ]),
    ])
    Object.assign(services, Object.fromEntries(provided))
  } catch (error) {
    await closeOne(entry, container, parts.log, parts.timeouts)
    throw error
  }
  return container
}

/** Calls `ready` of the plugins that have started. Rejects with an error of the table. */
export async function readyPlugins(running: readonly Running[], { setup }: PluginTimeouts): Promise<void> {
  for (const { entry, container } of running) {
    const { name, plugin } = entry
    const { ready } = plugin.spec
    if (container && ready)
      await step(name, 'ready', () => within(ready(container.cradle as never), setup, [name, 'ready']))
  }
}

async function step<T>(name: string, what: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const failure = storageErrorIn(cause)
    if (failure) throw failure
    if (isGatewayError(cause) && cause.code.startsWith('PLUGIN_')) throw cause
    throw gatewayError('PLUGIN_FAILED', [name, what, reasonOf(cause)], { cause })
  }
}

/** Closes in reverse order. A plugin that fails or hangs is logged, and the others are still closed. */
export async function closePlugins(
  running: readonly Running[],
  log: Log,
  timeouts: PluginTimeouts,
): Promise<void> {
  for (const { entry, container } of [...running].reverse()) {
    if (container) await closeOne(entry, container, log, timeouts)
  }
}

async function closeOne(
  entry: Prepared,
  container: AwilixContainer,
  log: Log,
  timeouts: PluginTimeouts,
): Promise<void> {
  try {
    await within(dispose(container), timeouts.close, [entry.name, 'close'])
  } catch (error) {
    log.error({ plugin: entry.name, err: error }, 'plugin failed to close')
  }
}
