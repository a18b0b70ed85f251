import type { Capabilities, Declared } from '../types/observe.ts'
import type { PluginSpec } from '../types/plugin.ts'
import type { Running } from './lifecycle.ts'

/** What the plugins that have started declare; no metric is read and no check runs here. */
export function capabilities(running: readonly Running[]): Capabilities {
  return {
    metrics: declared(running, ({ metrics }) => metrics),
    health: declared(running, ({ health }) => health),
  }
}

function declared<T>(
  running: readonly Running[],
  // biome-ignore lint/suspicious/noExplicitAny: the dependencies of every plugin differ
  of: (spec: PluginSpec<any, any, any, any>) => ((deps: any) => Readonly<Record<string, T>>) | undefined,
): (T & Declared)[] {
  return running.flatMap(({ entry: { plugin, name: owner }, container }) => {
    const own = container ? of(plugin.spec)?.(container.cradle) : undefined
    return Object.entries(own ?? {}).map(([name, one]) => ({ ...one, plugin: owner, name }))
  })
}
