import { type GatewayError, gatewayError } from '../errors.ts'
import type { Plugin } from '../types/plugin.ts'

interface Order {
  /**
   * The start order: each plugin comes after those whose services it needs, can use or decorates, and after the decorators
   * of its services.
   */
  readonly sorted: Plugin[]
  /** The same plugins ordered by `before` and `after`, for their hooks. */
  readonly hooks: Plugin[]
  /** The one plugin that provides each service. */
  readonly providers: ReadonlyMap<string, Plugin>
  readonly faults: GatewayError[]
}

/**
 * Sorts plugins, otherwise keeping the given order. Reports all circular dependencies, and all services with several
 * providers unless exactly one overrides the others.
 */
export function order(plugins: readonly Plugin[]): Order {
  const faults: GatewayError[] = []
  const providers = providersOf(plugins, faults)
  const hooksOf = (list: readonly Plugin[], circles: GatewayError[]): Plugin[] =>
    sort(list, (plugin) => list.filter((other) => isBefore(other, plugin)), circles)
  // The decorator whose hooks come first wraps the others, so it starts after them.
  const ranks = hooksOf(plugins, [])
  const decorators = (service: string): Plugin[] =>
    ranks.filter(({ spec }) => Object.hasOwn(spec.decorates ?? {}, service))

  const before = (plugin: Plugin): Plugin[] => {
    const { needs = [], wants = [], decorates = {} } = plugin.spec
    const used = [...needs, ...wants].flatMap((service) => {
      const wrapping = decorators(service)
      return wrapping.includes(plugin) ? [providers.get(service)] : [providers.get(service), ...wrapping]
    })
    const decorated = Object.keys(decorates).flatMap((service) => {
      const wrapping = decorators(service)
      return [providers.get(service), ...wrapping.slice(wrapping.indexOf(plugin) + 1)]
    })
    return [...used, ...decorated].filter((other) => other !== undefined && other !== plugin) as Plugin[]
  }
  const sorted = sort(plugins, before, faults)
  return { sorted, hooks: hooksOf(sorted, faults), providers, faults }
}

function isBefore({ spec: one }: Plugin, { spec: other }: Plugin): boolean {
  return (
    one !== other &&
    ((one.order?.before ?? []).includes(other.name) || (other.order?.after ?? []).includes(one.name))
  )
}

function providersOf(plugins: readonly Plugin[], faults: GatewayError[]): Map<string, Plugin> {
  const providers = new Map<string, Plugin>()
  for (const plugin of plugins) {
    for (const service of plugin.spec.provides ?? []) {
      const other = providers.get(service)
      const [wins, loses] = [plugin, other].map((one) => one?.spec.overrides?.includes(service) ?? false)
      if (other && wins === loses)
        faults.push(gatewayError('PLUGIN_SERVICE_TAKEN', [service, other.spec.name, plugin.spec.name]))
      else if (!other || wins) providers.set(service, plugin)
    }
  }
  return providers
}

function sort(
  plugins: readonly Plugin[],
  before: (plugin: Plugin) => readonly Plugin[],
  faults: GatewayError[],
): Plugin[] {
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
    for (const other of before(plugin)) visit(other)
    path.pop()
    sorted.push(plugin)
  }
  for (const plugin of plugins) visit(plugin)
  return sorted
}
