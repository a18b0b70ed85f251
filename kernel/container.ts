import { type AwilixContainer, asValue, createContainer } from 'awilix'
import type { Kernel, ServiceResolvers } from './types/plugin.ts'

/**
 * One container a plugin, not scopes of one: awilix caches singletons by name in the root, so two plugins
 * that both register `repo` would silently share the first.
 */
export function createPluginContainer(
  kernel: Kernel<unknown>,
  foreign: Readonly<Record<string, unknown>>,
  services: ServiceResolvers,
): AwilixContainer {
  const container = createContainer({ strict: true })
  for (const [name, value] of Object.entries({ ...kernel, ...foreign }))
    container.register(name, asValue(value))
  container.register(services)
  return container
}
