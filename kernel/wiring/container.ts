import { type AwilixContainer, asValue, createContainer } from 'awilix'
import { gatewayError } from '../errors.ts'
import type { Kernel, ServiceResolvers } from '../types/plugin.ts'

/**
 * Runs the disposers of created services in reverse order of creation, so that a service is closed before those that it
 * uses. awilix's own `dispose` runs all at once. A failure is thrown after the others have run.
 */
export async function dispose(container: AwilixContainer): Promise<void> {
  const failures: unknown[] = []
  const made = [...container.cache.values()].reverse()
  container.cache.clear()
  for (const { resolver, value } of made) {
    try {
      await (resolver as { dispose?: (value: unknown) => unknown }).dispose?.(value)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/**
 * One container for each plugin, not scopes of one: awilix caches singletons by name in the root, so two plugins that
 * both register `repo` would silently share the first.
 */
export function createPluginContainer(
  owner: string,
  kernel: Kernel<unknown>,
  foreign: Readonly<Record<string, unknown>>,
  services: ServiceResolvers,
): AwilixContainer {
  const container = createContainer({ strict: true })
  for (const [name, value] of Object.entries({ ...kernel, ...foreign }))
    container.register(name, asValue(value))
  for (const name of Object.keys(services)) {
    if (container.hasRegistration(name))
      throw gatewayError('PLUGIN_SERVICE_INVALID', [
        owner,
        name,
        'the kernel or another plugin already provides that name',
      ])
  }
  container.register(services)
  return container
}
