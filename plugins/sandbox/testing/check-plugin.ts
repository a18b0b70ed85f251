import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { satisfies, valid } from 'semver'
import { migrations as kernel, migrate, openDatabase, type Prepared, prepare, purge } from 'wamux/kit'
import { PLUGIN_API, type Plugin, reasonOf } from 'wamux/plugin'
import { checkShape } from './check-shape.ts'
import { companions, neededBy, type Override, withConfig } from './companions.ts'
import { startOn, type TestGateway } from './gateway.ts'

export interface CheckOptions {
  /** Its settings, if it does not start with the defaults. */
  config?: object
  /** Services that it needs and the built-in plugins do not provide. */
  override?: Override
  /** Plugins that are not built in and that provide what it needs, or collect its contributions. */
  companions?: readonly Plugin[]
}

/**
 * Checks a plugin against the rules for plugins; returns one message per fault.
 *
 * @example expect(await checkPlugin(plugin)).to.deep.equal([])
 */
export async function checkPlugin(
  plugin: Plugin,
  { config = {}, override = {}, companions: given = [] }: CheckOptions = {},
): Promise<string[]> {
  if (plugin?.$type !== 'wamux/plugin') return ['its default export must come from definePlugin()']
  const shape = checkShape(plugin)
  if (shape.length > 0) return shape
  const { name } = plugin.spec
  const known = [...(await companions([plugin, ...given], override)), ...given]
  const others = neededBy(plugin, known)
  const listed = withConfig([...others, plugin], { [name]: config })
  let prepared: Prepared | undefined
  try {
    prepared = prepare(listed).find((entry) => entry.plugin === plugin)
  } catch (error) {
    return [reasonOf(error)]
  }
  const faults = [...checkManifest(plugin), ...checkConfig(plugin.spec.config, ''), ...checkSurface(prepared)]
  faults.push(...checkWiring(plugin, [...known, plugin]))
  faults.push(...(await checkMigrations(plugin)))
  return faults.length > 0 ? faults : checkRun(plugin, listed)
}

function checkManifest({ spec }: Plugin): string[] {
  const faults: string[] = []
  if (!valid(spec.version))
    faults.push(`"version" must be a semver version, not ${JSON.stringify(spec.version)}`)
  const next = `${Number(PLUGIN_API.split('.')[0]) + 1}.0.0`
  if (satisfies(next, spec.api))
    faults.push(`"api" must not promise plugin API ${next}: write "^${PLUGIN_API}"`)
  return faults
}

/** The contracts that the kernel itself collects. */
const KERNEL_CONTRACTS = ['around', 'authenticate', 'errorHelp', 'login', 'permit']

/** Reports names that nothing defines: they are misspelt. */
function checkWiring({ spec }: Plugin, all: readonly Plugin[]): string[] {
  const { provides = [], overrides = [], contributes = {}, order = {} } = spec
  const faults = overrides
    .filter((service) => !provides.includes(service))
    .map((service) => `it overrides "${String(service)}", which is not in its "provides"`)
  for (const contract of Object.keys(contributes))
    if (
      !KERNEL_CONTRACTS.includes(contract) &&
      !all.some((other) => (other.spec.collects as readonly string[] | undefined)?.includes(contract))
    )
      faults.push(
        `it contributes to "${contract}", which no plugin collects; "companions" may name the one that does`,
      )
  const events = new Set(all.flatMap((other) => Object.keys(other.spec.events ?? {})))
  const wanted = [...Object.keys(spec.on ?? {}), ...(spec.consume?.types ?? [])]
  for (const type of wanted.filter((one) => !events.has(one)))
    faults.push(`it waits for the event "${type}", which no plugin logs`)
  const classes = new Set(all.flatMap((other) => Object.values(other.spec.events ?? {}).map(classOf)))
  for (const one of (spec.consume?.classes ?? []).filter((one) => one !== 'All' && !classes.has(one)))
    faults.push(`it waits for events of the class "${one}", which no plugin logs`)
  if ([...(order.before ?? []), ...(order.after ?? [])].includes(spec.name))
    faults.push('"order" must not name the plugin itself')
  return faults
}

const classOf = (event: unknown): unknown => (event as { class?: string } | undefined)?.class

interface Schema {
  description?: string
  properties?: Record<string, Schema>
  additionalProperties?: unknown
  items?: Schema
  anyOf?: Schema[]
}

/** Operators read the settings: each must have a description, and unknown keys must be refused. */
function checkConfig(schema: Schema | undefined, path: string): string[] {
  if (!schema) return []
  const faults: string[] = []
  if (schema.properties && schema.additionalProperties === true)
    faults.push(`config${path} must not allow unknown keys`)
  for (const [key, inner] of Object.entries(schema.properties ?? {})) {
    if (!inner.description) faults.push(`config${path}.${key} has no description`)
    faults.push(...checkConfig(inner, `${path}.${key}`))
  }
  for (const inner of [schema.items ?? [], schema.anyOf ?? []].flat())
    faults.push(...checkConfig(inner, path))
  return faults
}

/** Clients read routes and events: routes must have a response schema, events a class and a summary. */
function checkSurface(prepared: Prepared | undefined): string[] {
  const faults: string[] = []
  for (const { route, check } of prepared?.routes ?? []) {
    const place = `${route.method} ${route.path}`
    if (!route.spec.response) faults.push(`${place} has no "response" schema`)
    try {
      check?.compile()
    } catch (error) {
      faults.push(`${place}: ${reasonOf(error)}`)
    }
  }
  for (const [type, event] of Object.entries(prepared?.events ?? {})) {
    if (!event.class || !event.summary) faults.push(`event ${type} must have a "class" and a "summary"`)
  }
  return faults
}

/** Starts and stops it with the plugins that it needs: nothing may fail or stay open. */
async function checkRun(plugin: Plugin, listed: ReturnType<typeof withConfig>): Promise<string[]> {
  try {
    const gateway = await startOn(listed)
    const faults = await checkRequests(gateway, plugin).finally(() => gateway.stop())
    if (faults.length > 0) return faults
    return gateway.logs
      .filter(({ level }) => level >= 50)
      .map(({ msg, plugin, err }) => `${msg}: ${plugin ?? ''} ${JSON.stringify(err) ?? ''}`)
  } catch (error) {
    return [reasonOf(error)]
  }
}

/** A route that requires a token must refuse a request without one, whatever the plugin's own hooks decide. */
async function checkRequests(gateway: TestGateway, { spec }: Plugin): Promise<string[]> {
  const own = gateway.describe().plugins.find(({ name }) => name === spec.name)
  const closed = own?.routes.filter(({ spec }) => spec.access !== 'public') ?? []
  // A parameter in the path could be refused before the token.
  const route = closed.find(({ path }) => !path.includes(':')) ?? closed[0]
  if (!route) return []
  const path = route.path.replace(/:\w+/g, 'x')
  const { status } = await gateway.call(route.method, path, { headers: { token: 'not a token' } })
  return status === 401 ? [] : [`${route.method} ${route.path} answers ${status} to an unknown token`]
}

/** Runs a plugin's migrations on an empty database: all up, all down, and all up again. */
async function checkMigrations({ spec: { name, migrations } }: Plugin): Promise<string[]> {
  if (!migrations) return []
  const faults = Object.keys(migrations)
    .filter((step) => !/^\d{3}_[a-z0-9_]+$/.test(step))
    .map((step) => `migration "${step}" must be named like "001_rows", so that the order is clear`)
  const dataDir = mkdtempSync(join(tmpdir(), 'wamux-check-'))
  const { main, close } = await openDatabase({ dataDir })
  const tables = async (): Promise<string[]> =>
    (await main('sqlite_master').where({ type: 'table' }).select<{ name: string }[]>('name')).map(
      (row) => row.name,
    )
  try {
    await migrate(main, 'kernel', kernel)
    const before = await tables()
    await migrate(main, name, migrations)
    await main.transaction((trx) => purge(trx, name, migrations))
    const left = (await tables()).filter((table) => !before.includes(table) && !table.startsWith('sqlite_'))
    if (left.length > 0) faults.push(`the down steps of its migrations leave ${left.join(', ')}`)
    await migrate(main, name, migrations)
  } catch (error) {
    faults.push(`its migrations do not run up, down and up: ${reasonOf(error)}`)
  } finally {
    await close()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return faults
}
