import { gatewayError } from '../errors.ts'
import type { Around, MountedRoute } from '../http/app.ts'
import type { Caller, Credentials, Login, Route } from '../types/route.ts'
import { byRank, type Running } from './lifecycle.ts'

/** Binds every route to its plugin's dependencies. Routes of an optional plugin that failed answer PLUGIN_UNAVAILABLE. */
export function mountRoutes(running: readonly Running[]): MountedRoute[] {
  return running.flatMap(({ entry, container, error }) =>
    entry.routes.map(({ route, check }) => ({
      plugin: entry.name,
      route,
      check,
      async call(request: unknown) {
        if (!container) throw gatewayError('PLUGIN_UNAVAILABLE', [entry.name, error ?? 'it did not start'])
        return route.spec.handle(request as never, container.cradle)
      },
    })),
  )
}

/** The `around` hooks of all plugins as one; the first plugin's is the outermost. */
export function mountAround(running: readonly Running[]): Around {
  return byRank(running).reduceRight<Around>(
    (inner, { entry, container }) => {
      const { around } = entry.plugin.spec
      if (!around || !container) return inner
      return (call, next) => around(call, () => inner(call, next), container.cradle as never)
    },
    (_call, next) => next(),
  )
}

/** A hook of all plugins as one: that which knows the credentials, or the request, first. */
export function mountFirst<T extends Caller | Login>(
  running: readonly Running[],
  hook: 'authenticate' | 'login',
) {
  const ranked = byRank(running)
  return async (credentials: Credentials, route: Route): Promise<T | undefined> => {
    for (const { entry, container } of ranked) {
      const found =
        container && (await entry.plugin.spec[hook]?.(credentials, route, container.cradle as never))
      if (found) return found as T
    }
    return undefined
  }
}
