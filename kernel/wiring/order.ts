import { type GatewayError, gatewayError } from '../errors.ts'
import type { Plugin, ServiceName } from '../types/plugin.ts'

/**
 * Sorts plugins so that each comes after those whose services it needs or can use; otherwise the given order is kept.
 * Reports all services with two providers and all circular dependencies.
 */
export function order(plugins: readonly Plugin[]): { sorted: Plugin[]; faults: GatewayError[] } {
  const faults: GatewayError[] = []
  const providers = new Map<string, Plugin>()
  for (const plugin of plugins) {
    for (const service of plugin.spec.provides ?? []) {
      const other = providers.get(service)
      if (other)
        faults.push(gatewayError('PLUGIN_SERVICE_TAKEN', [service, other.spec.name, plugin.spec.name]))
      else providers.set(service, plugin)
    }
  }

  const before = (plugin: Plugin): Plugin[] => {
    const found: Plugin[] = []
    for (const service of [...needsOf(plugin), ...(plugin.spec.wants ?? [])]) {
      const provider = providers.get(service)
      if (provider && provider !== plugin) found.push(provider)
    }
    return found
  }

  const sorted: Plugin[] = []
  const path: Plugin[] = []
  const visit = (plugin: Plugin): void => {
    if (sorted.includes(plugin)) return
    if (path.includes(plugin)) {
      const circle = [...path.slice(path.indexOf(plugin)), plugin].map(({ spec }) => spec.name)
      faults.push(gatewayError('PLUGIN_CYCLE', [circle.join(' -> ')]))
      return
    }
    path.push(plugin)
    for (const provider of before(plugin)) visit(provider)
    path.pop()
    sorted.push(plugin)
  }
  for (const plugin of plugins) visit(plugin)
  return { sorted, faults }
}

/** The services that a plugin can't start without. */
export function needsOf({ spec: { needs = [], consume } }: Plugin): readonly ServiceName[] {
  return consume ? [...new Set([...needs, 'consumerRunner'])] : needs
}
