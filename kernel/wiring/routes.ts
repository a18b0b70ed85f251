import { type GatewayError, gatewayError, reasonOf } from '../errors.ts'
import { isLeaving, LEAVING, type Leaving } from '../leaving.ts'
import type { Plugin } from '../types/plugin.ts'
import type { Method, Route, RouteBuilder, Scope } from '../types/route.ts'
import { bounded } from '../validate/bounds.ts'

/** Builds a plugin's route table; runs nothing of the plugin but its `routes` function. */
export function routesOf(
  plugin: Plugin,
  config: Record<string, unknown>,
  bodyLimit: number,
  faults: GatewayError[],
): readonly Route[] {
  const { name, routes } = plugin.spec
  if (!routes) return []
  try {
    return routes(builder, config).flatMap((route) => {
      const body = route.spec.body && bounded(route.spec.body, bodyLimit)
      const own = [faultOf(route) ?? [], ...(body?.faults ?? [])].flat()
      const place = `${route.method} ${route.path}`
      faults.push(...own.map((fault) => gatewayError('PLUGIN_ROUTE_INVALID', [name, place, fault])))
      if (own.length > 0) return []
      const spec = { ...route.spec, ...(body ? { body: body.schema } : {}), ...rightsOf(route, plugin) }
      return { ...route, spec }
    })
  } catch (cause) {
    faults.push(gatewayError('PLUGIN_FAILED', [name, 'routes', reasonOf(cause)], { cause }))
    return []
  }
}

const add =
  (method: Method) =>
  (path: string, spec: unknown): Route => ({ method, path, spec: spec as Route['spec'] })

const builder = {
  get: add('GET'),
  post: add('POST'),
  put: add('PUT'),
  patch: add('PATCH'),
  delete: add('DELETE'),
} as RouteBuilder<never>

/** The scope and the effects of a call, with defaults filled in. */
function rightsOf(route: Route, plugin: Plugin): RightsOfRoute {
  const { method, spec } = route
  const { access = 'login' } = spec
  const scope = scopeOf(route, plugin)
  return {
    scope,
    leaves: spec.leaves ?? leavesOf(route, scope),
    isDestructive: spec.isDestructive ?? method === 'DELETE',
    isIdempotent: spec.isIdempotent ?? (method !== 'POST' || scope === 'read'),
    isSensitive:
      spec.isSensitive ??
      (scope === 'admin' || scope === 'owner' || (scope === 'manage' && access !== 'login')),
  }
}

type RightsOfRoute = Required<
  Pick<Route['spec'], 'scope' | 'leaves' | 'isDestructive' | 'isIdempotent' | 'isSensitive'>
>

/** Of a route that does not declare it: a forgotten declaration must not let anything out unasked. */
function leavesOf({ method, spec }: Route, scope: Scope): readonly Leaving[] {
  if (method === 'GET' || scope === 'read') return []
  const { properties = {} } = (spec.body ?? {}) as { properties?: Record<string, { leaves?: string }> }
  const isDeclared = Object.values(properties).some(({ leaves }) => isLeaving(leaves) && leaves !== 'fetch')
  return isDeclared ? [] : (Object.keys(LEAVING) as Leaving[])
}

function scopeOf({ method, spec }: Route, plugin: Plugin): Scope {
  if (spec.access === 'owner') return 'owner'
  if (spec.access === 'admin') return spec.scope ?? 'admin'
  return spec.scope ?? (method === 'GET' ? 'read' : (plugin.spec.scope ?? 'manage'))
}

function faultOf({ path, spec }: Route): string | undefined {
  if (!/^\/[\w./:*-]*$/.test(path)) return 'the path must begin with "/" and hold plain characters'
  if (!spec.summary) return 'it has no summary'
  if (spec.upload && spec.body) return 'it has both "body" and "upload"'
  if (typeof spec.handle !== 'function') return 'it has no handle function'
  return undefined
}
