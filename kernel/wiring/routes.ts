import { type GatewayError, gatewayError, reasonOf } from '../errors.ts'
import type { Plugin } from '../types/plugin.ts'
import type { Method, Route, RouteBuilder, Scope } from '../types/route.ts'

/** Builds a plugin's route table; runs nothing of the plugin but its `routes` function. */
export function routesOf(
  plugin: Plugin,
  config: Record<string, unknown>,
  faults: GatewayError[],
): readonly Route[] {
  const { name, routes } = plugin.spec
  if (!routes) return []
  try {
    return routes(builder, config)
      .filter((route) => {
        const fault = faultOf(route)
        if (fault)
          faults.push(gatewayError('PLUGIN_ROUTE_INVALID', [name, `${route.method} ${route.path}`, fault]))
        return !fault
      })
      .map((route) => ({ ...route, spec: { ...route.spec, scope: scopeOf(route, plugin) } }))
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

function scopeOf({ method, spec }: Route, plugin: Plugin): Scope {
  if (spec.access === 'admin' || spec.access === 'owner') return spec.access
  return spec.scope ?? (method === 'GET' ? 'read' : (plugin.spec.scope ?? 'manage'))
}

function faultOf({ path, spec }: Route): string | undefined {
  if (!/^\/[\w./:*-]*$/.test(path)) return 'the path must begin with "/" and hold plain characters'
  if (!spec.summary) return 'it has no summary'
  if (spec.upload && spec.body) return 'it has both "body" and "upload"'
  if (typeof spec.handle !== 'function') return 'it has no handle function'
  return undefined
}
