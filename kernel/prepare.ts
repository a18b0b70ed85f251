import { satisfies, validRange } from 'semver'
import { type GatewayError, gatewayError, reasonOf } from './errors.ts'
import { order } from './order.ts'
import { PLUGIN_API } from './plugin.ts'
import { routesOf } from './routes.ts'
import type { EventDeclaration } from './types/events.ts'
import type { Plugin } from './types/plugin.ts'
import type { Route } from './types/route.ts'
import { type BodyCheck, compileBodies } from './validate/body.ts'
import { checkConfig } from './validate/config.ts'

export interface Listed {
  /** What was imported; checked, not trusted. */
  plugin: unknown
  config?: Record<string, unknown>
  /** A failure of this plugin leaves the gateway up; its routes answer 503. */
  optional?: boolean
}

/** A plugin after every check that needs no database and no network. */
export interface Prepared {
  readonly plugin: Plugin
  readonly name: string
  readonly optional: boolean
  readonly config: Record<string, unknown>
  readonly routes: readonly { route: Route; check: BodyCheck | undefined }[]
  readonly events: Readonly<Record<string, EventDeclaration>>
}

/** Checks everything that can be checked while touching nothing; reports all faults in one error. */
export function prepare(listed: readonly Listed[]): Prepared[] {
  const faults: GatewayError[] = []
  const known = new Map<Plugin, Listed>()
  for (const entry of listed) {
    const fault = faultOf(entry.plugin, [...known.keys()])
    if (fault) faults.push(fault)
    else known.set(entry.plugin as Plugin, entry)
  }
  const sorting = order([...known.keys()])
  faults.push(...sorting.faults)
  const prepared: Prepared[] = []
  for (const plugin of sorting.sorted) {
    const { config = {}, optional = false } = known.get(plugin) ?? {}
    const { name } = plugin.spec
    const checked = checkConfig(plugin.spec.config, config)
    if ('faults' in checked) faults.push(gatewayError('PLUGIN_CONFIG', [name, checked.faults.join('; ')]))
    const routes = compile(plugin, faults)
    prepared.push({
      plugin,
      name,
      optional,
      config: 'config' in checked ? checked.config : {},
      routes,
      events: (plugin.spec.events ?? {}) as Record<string, EventDeclaration>,
    })
  }
  faults.push(...clashes(prepared))
  if (faults.length > 0) {
    const lines = faults.map((fault) => `- ${fault.message}`)
    throw gatewayError('START_FAILED', [lines.join('\n')], { cause: faults[0] })
  }
  return prepared
}

function faultOf(value: unknown, earlier: readonly Plugin[]): GatewayError | undefined {
  const plugin = value as Partial<Plugin> | undefined
  const name = plugin?.spec?.name
  const label = typeof name === 'string' ? `"${name}"` : 'one of the listed modules'
  if (plugin?.$type !== 'wamux/plugin') {
    return gatewayError('PLUGIN_INVALID', [label, 'its default export must come from definePlugin()'])
  }
  if (plugin.v !== 1) return gatewayError('PLUGIN_INVALID', [label, `unknown generation ${String(plugin.v)}`])
  if (typeof name !== 'string' || !/^[@a-z0-9][a-z0-9@/._-]*$/.test(name)) {
    return gatewayError('PLUGIN_INVALID', [label, 'its name must be lower-case letters, digits and dashes'])
  }
  if (earlier.some(({ spec }) => spec.name === name)) return gatewayError('PLUGIN_DUPLICATE', [name])
  const api = plugin.spec?.api
  if (typeof api !== 'string' || !validRange(api)) {
    return gatewayError('PLUGIN_INVALID', [label, `"api" must be a semver range, not ${JSON.stringify(api)}`])
  }
  return satisfies(PLUGIN_API, api) ? undefined : gatewayError('PLUGIN_API', [name, api, PLUGIN_API])
}

function compile(plugin: Plugin, faults: GatewayError[]): Prepared['routes'] {
  const compileBody = compileBodies()
  const compiled: { route: Route; check: BodyCheck | undefined }[] = []
  for (const route of routesOf(plugin, faults)) {
    try {
      compiled.push({ route, check: route.spec.body && compileBody(route.spec.body) })
    } catch (cause) {
      const place = `${route.method} ${route.path}`
      faults.push(gatewayError('PLUGIN_ROUTE_INVALID', [plugin.spec.name, place, reasonOf(cause)], { cause }))
    }
  }
  return compiled
}

function clashes(prepared: readonly Prepared[]): GatewayError[] {
  const faults: GatewayError[] = []
  const routes = new Map<string, string>()
  const events = new Map<string, string>()
  for (const { name, ...entry } of prepared) {
    for (const { route } of entry.routes) {
      // `/a/:b` and `/a/:c` are one route.
      const key = `${route.method} ${route.path.replace(/:[^/]+/g, ':')}`
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
