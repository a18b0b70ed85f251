import { gatewayError } from '../errors.ts'
import type { Around, MountedRoute } from '../http/app.ts'
import type { Contribution } from '../types/plugin.ts'
import type { Caller, CallerRequest, Credentials, Login, Route } from '../types/route.ts'
import type { Activity } from '../watchdog/activity.ts'
import type { Running } from './lifecycle.ts'

/** A route's name for the watchdog. */
export function nameOf({ method, path }: Route): string {
  return `${method} ${path}`
}

/** Binds every route to its plugin's dependencies. Routes of an optional plugin that failed answer PLUGIN_UNAVAILABLE. */
export function mountRoutes(
  running: readonly Running[],
  { numberOf }: Pick<Activity, 'numberOf'>,
): MountedRoute[] {
  return running.flatMap(({ entry, container, error }) =>
    entry.routes.map(({ route, check }) => ({
      route,
      check,
      work: numberOf(entry.name, nameOf(route)) ?? 0,
      async call(request: unknown) {
        if (!container) throw gatewayError('PLUGIN_UNAVAILABLE', [entry.name, error ?? 'it did not start'])
        return route.spec.handle(request as never, container.cradle)
      },
    })),
  )
}

/** Combines the `around` hooks of all plugins; the first plugin's is the outermost. */
export function mountAround(hooks: readonly Contribution<'around'>[]): Around {
  return hooks.reduceRight<Around>(
    (inner, { value }) =>
      (call, next) =>
        value(call, () => inner(call, next)),
    (_call, next) => next(),
  )
}

/** All `permit` hooks, one after the other. */
export function mountPermit(hooks: readonly Contribution<'permit'>[]) {
  return async (request: CallerRequest): Promise<void> => {
    for (const { value } of hooks) await value(request)
  }
}

/** Combines a hook of all plugins: the first one that recognizes the credentials or the request decides. */
export function mountFirst<T extends Caller | Login>(
  hooks: readonly { value(credentials: Credentials, route: Route): Promise<T | undefined> }[],
) {
  return async (credentials: Credentials, route: Route): Promise<T | undefined> => {
    for (const { value } of hooks) {
      const found = await value(credentials, route)
      if (found) return found
    }
    return undefined
  }
}
