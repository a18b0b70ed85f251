import { gatewayError } from './errors.ts'
import type { MountedRoute } from './http/app.ts'
import type { Running } from './lifecycle.ts'

/** Binds every route to its plugin's dependencies. Routes of a failed optional plugin answer why it is missing. */
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
