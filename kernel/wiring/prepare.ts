// Not the whole package, which has 47 modules.
import satisfies from 'semver/functions/satisfies.js'
import validRange from 'semver/ranges/valid.js'
import { prefixOf } from '../db/migrate.ts'
import { addErrors, type GatewayError, gatewayError, reasonOf } from '../errors.ts'
import { type BodyCheck, bodyChecks } from '../http/bodies/check.ts'
import { BODY_LIMIT } from '../http/body.ts'
import { shapeOf } from '../http/routing.ts'
import { definePlugin, PLUGIN_API } from '../plugin.ts'
import type { EventDeclaration } from '../types/events.ts'
import type { Plugin } from '../types/plugin.ts'
import type { Route } from '../types/route.ts'
import { checkConfig } from '../validate/config.ts'
import { mergeErrors } from './errors.ts'
import { order } from './order.ts'
import { routesOf } from './routes.ts'

export interface Listed {
  /** The name, package or path in the configuration; stands for the plugin's name until that is known. */
  from?: string
  /** The imported value, not checked yet. */
  plugin: unknown
  /** Why it could not be imported. */
  fault?: GatewayError
  config?: Record<string, unknown>
  /** The gateway runs without this plugin if it fails; its routes then answer 503. */
  optional?: boolean
}

/** A plugin that has passed every check that needs neither database nor network. */
export interface Prepared {
  readonly plugin: Plugin
  readonly name: string
  readonly optional: boolean
  /** Why an optional plugin will not start. */
  readonly fault: GatewayError | undefined
  readonly config: Record<string, unknown>
  /** Services that it provides to others. */
  readonly provides: readonly string[]
  /** Its position in the order of hooks. */
  readonly rank: number
  readonly routes: readonly { route: Route; check: BodyCheck | undefined }[]
  readonly events: Readonly<Record<string, EventDeclaration>>
}

/**
 * Checks everything that needs neither database nor network, and reports all faults in one error. A fault of an optional
 * plugin stays with that plugin; conflicts between plugins are always reported.
 */
export function prepare(
  listed: readonly Listed[],
  { bodyLimit = BODY_LIMIT }: { bodyLimit?: number } = {},
): Prepared[] {
  const faults: GatewayError[] = []
  const known = new Map<Plugin, Listed>()
  for (const entry of listed) {
    const fault = entry.fault ?? faultOf(entry)
    const plugin = fault ? placeholder(entry) : (entry.plugin as Plugin)
    const taken = fault ? undefined : nameFault(plugin, [...known.keys()])
    if (taken) faults.push(taken)
    else if (fault && !entry.optional) faults.push(fault)
    else known.set(plugin, fault ? { ...entry, fault } : entry)
  }
  const sorting = order([...known.keys()])
  faults.push(...sorting.faults)
  const { providers } = sorting
  const prepared = sorting.sorted.map((plugin) => {
    const { config = {}, optional = false, fault } = known.get(plugin) ?? {}
    const { name, needs = [], decorates = {}, events = {} } = plugin.spec
    const own: GatewayError[] = fault ? [fault] : []
    const wanted = new Set<string>([...needs, ...Object.keys(decorates)])
    const missing = [...wanted].filter((need) => !providers.has(need))
    own.push(...missing.map((need) => gatewayError('PLUGIN_NEED_MISSING', [name, need])))
    const checked = fault ? { config } : configOf(plugin, config, own)
    const routes = checkedRoutes(plugin, checked.config, { checkOf: bodyChecks(), bodyLimit }, own)
    if (!optional) faults.push(...own)
    const provides = [...providers].flatMap(([service, owner]) => (owner === plugin ? [service] : []))
    const rank = sorting.hooks.indexOf(plugin)
    return { plugin, name, optional, fault: own[0], provides, rank, routes, events, ...checked } as Prepared
  })
  faults.push(...conflicts(prepared))
  const errors = mergeErrors(sorting.sorted)
  faults.push(...errors.faults)
  if (faults.length > 0) {
    const lines = faults.map((fault) => `- ${fault.message}`)
    throw gatewayError('START_FAILED', [lines.join('\n')], { cause: faults[0] })
  }
  addErrors(errors.rows)
  return prepared
}

/** Stands in for an optional plugin that can't be used. */
function placeholder({ plugin, from = 'unnamed' }: Listed): Plugin {
  const name = (plugin as Partial<Plugin> | undefined)?.spec?.name
  return definePlugin({ name: typeof name === 'string' ? name : from, version: '0.0.0', api: '*' })
}

function faultOf({ plugin: value, from }: Listed): GatewayError | undefined {
  const plugin = value as Partial<Plugin> | undefined
  const name = plugin?.spec?.name
  const label = typeof name === 'string' ? `"${name}"` : from ? `"${from}"` : 'one of the listed modules'
  if (plugin?.$type !== 'wamux/plugin') {
    return gatewayError('PLUGIN_INVALID', [label, 'its default export must come from definePlugin()'])
  }
  if (plugin.v !== 1) return gatewayError('PLUGIN_INVALID', [label, `unknown generation ${String(plugin.v)}`])
  if (typeof name !== 'string' || !/^[@a-z0-9][a-z0-9@/._-]*$/.test(name)) {
    return gatewayError('PLUGIN_INVALID', [label, 'its name must be lower-case letters, digits and dashes'])
  }
  const api = plugin.spec?.api
  if (typeof api !== 'string' || !validRange(api)) {
    return gatewayError('PLUGIN_INVALID', [label, `"api" must be a semver range, not ${JSON.stringify(api)}`])
  }
  return satisfies(PLUGIN_API, api) ? undefined : gatewayError('PLUGIN_API', [name, api, PLUGIN_API])
}

function nameFault({ spec: { name } }: Plugin, earlier: readonly Plugin[]): GatewayError | undefined {
  if (earlier.some(({ spec }) => spec.name === name)) return gatewayError('PLUGIN_DUPLICATE', [name])
  const prefix = prefixOf(name)
  if (prefix === prefixOf('kernel')) return gatewayError('PLUGIN_NAME_TAKEN', [name, 'the kernel'])
  const other = earlier.find(({ spec }) => prefixOf(spec.name) === prefix)
  return other && gatewayError('PLUGIN_NAME_TAKEN', [name, `plugin "${other.spec.name}"`])
}

function configOf(
  { spec }: Plugin,
  given: Record<string, unknown>,
  faults: GatewayError[],
): Pick<Prepared, 'config'> {
  try {
    const checked = checkConfig(spec.config, given)
    if ('config' in checked) return checked
    const variable = prefixOf(spec.name).slice(0, -1).toUpperCase()
    faults.push(gatewayError('PLUGIN_CONFIG', [spec.name, checked.faults.join('; '), variable]))
  } catch (cause) {
    faults.push(
      gatewayError('PLUGIN_INVALID', [`"${spec.name}"`, `its config schema: ${reasonOf(cause)}`], { cause }),
    )
  }
  return { config: {} }
}

function checkedRoutes(
  plugin: Plugin,
  config: Record<string, unknown>,
  { checkOf, bodyLimit }: { checkOf: ReturnType<typeof bodyChecks>; bodyLimit: number },
  faults: GatewayError[],
): Prepared['routes'] {
  const checked: { route: Route; check: BodyCheck | undefined }[] = []
  for (const route of routesOf(plugin, config, bodyLimit, faults)) {
    try {
      checked.push({ route, check: route.spec.body && checkOf(route.spec.body) })
    } catch (cause) {
      const place = `${route.method} ${route.path}`
      faults.push(gatewayError('PLUGIN_ROUTE_INVALID', [plugin.spec.name, place, reasonOf(cause)], { cause }))
    }
  }
  return checked
}

function conflicts(prepared: readonly Prepared[]): GatewayError[] {
  const faults: GatewayError[] = []
  const routes = new Map<string, string>()
  const events = new Map<string, string>()
  for (const { name, ...entry } of prepared) {
    for (const { route } of entry.routes) {
      const key = `${route.method} ${shapeOf(route.path)}`
      const other = routes.get(key)
      if (other)
        faults.push(gatewayError('PLUGIN_ROUTE_TAKEN', [`${route.method} ${route.path}`, other, name]))
      routes.set(key, name)
    }
    for (const type of Object.keys(entry.events)) {
      const other = events.get(type)
      if (other) faults.push(gatewayError('PLUGIN_EVENT_TAKEN', [type, other, name]))
      events.set(type, name)
    }
  }
  return faults
}
