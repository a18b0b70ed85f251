import type { AwilixContainer } from 'awilix'
import { createPluginContainer } from './container.ts'
import { migrate } from './db/migrate.ts'
import type { Database } from './db/open.ts'
import { type GatewayError, gatewayError, reasonOf } from './errors.ts'
import type { Prepared } from './prepare.ts'
import type { Log } from './types/driver.ts'
import type { Kernel } from './types/plugin.ts'

export interface Running {
  readonly entry: Prepared
  readonly container: AwilixContainer | undefined
  /** Why it does not run, of an optional plugin that failed. */
  readonly error: string | undefined
}

export interface StartParts {
  prepared: readonly Prepared[]
  database: Database
  kernelOf(entry: Prepared): Kernel<unknown>
  log: Log
}

const SETUP_S = 10
const CLOSE_S = 5

/**
 * Starts plugins in order: tables, container, setup, services. All failures are collected and thrown as one
 * START_FAILED, after what had started was closed again; an optional plugin only takes those down that need it.
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
      const fault = gatewayError('PLUGIN_FAILED', [entry.name, 'start', reasonOf(cause)], { cause })
      running.push({ entry, container: undefined, error: reasonOf(cause) })
      parts.log.error({ plugin: entry.name, err: cause, optional: entry.optional }, 'plugin failed to start')
      if (!entry.optional) faults.push(fault)
    }
  }
  if (faults.length > 0) {
    await closePlugins(running, parts.log)
    throw gatewayError('START_FAILED', [faults.map((fault) => `- ${fault.message}`).join('\n')], {
      cause: faults[0],
    })
  }
  return { running, services }
}

async function startOne(
  entry: Prepared,
  parts: StartParts,
  services: Record<string, unknown>,
): Promise<AwilixContainer> {
  const { name } = entry
  const { spec } = entry.plugin
  const foreign: Record<string, unknown> = {}
  for (const need of spec.needs ?? []) {
    if (!(need in services)) throw gatewayError('PLUGIN_NEED_MISSING', [name, need])
    foreign[need] = services[need]
  }
  for (const want of spec.wants ?? []) foreign[want] = services[want]
  if (spec.migrations) await migrate(parts.database.main, name, spec.migrations)
  const kernel = parts.kernelOf(entry)
  const container = createPluginContainer(kernel, foreign, spec.services?.(kernel) ?? {})
  try {
    if (spec.setup) await within(spec.setup(container.cradle as never), SETUP_S, [name, 'setup'])
    for (const service of spec.provides ?? []) services[service] = container.resolve(service)
  } catch (error) {
    await closeOne(entry, container, parts.log)
    throw error
  }
  return container
}

/** Closes in reverse order. A plugin that fails or hangs is logged; the others still close. */
export async function closePlugins(running: readonly Running[], log: Log): Promise<void> {
  for (const { entry, container } of [...running].reverse()) {
    if (container) await closeOne(entry, container, log)
  }
}

async function closeOne(entry: Prepared, container: AwilixContainer, log: Log): Promise<void> {
  try {
    const { close } = entry.plugin.spec
    if (close) await within(close(container.cradle as never), CLOSE_S, [entry.name, 'close'])
    await container.dispose()
  } catch (error) {
    log.error({ plugin: entry.name, err: error }, 'plugin failed to close')
  }
}

async function within<T>(work: Promise<T>, seconds: number, [name, step]: [string, string]): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(gatewayError('PLUGIN_TIMEOUT', [name, step, seconds])), seconds * 1000)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
