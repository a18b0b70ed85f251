import type { Listed } from 'wamux'
import { importPlugins } from 'wamux/kit'
import { asValue, definePlugin, type Plugin, type ServiceName } from 'wamux/plugin'
import sandbox from '../index.ts'

export type Override = Readonly<Record<string, unknown>>

/**
 * The built-in plugins of the standard profile, the local network, and what the plugins under test need of the other built-in
 * plugins; without the plugins under test and those in `left`. `override` replaces the services that it names.
 */
export async function companions(
  plugins: readonly Plugin[],
  override: Override = {},
  left: readonly string[] = [],
): Promise<Plugin[]> {
  const names = new Set([...plugins.map(({ spec }) => spec.name), ...left])
  const standard = await builtinOf('standard')
  const rest = plugins.every((plugin) => isServed(plugin, [...plugins, ...standard]))
    ? []
    : await builtinOf('all')
  const used = new Set(plugins.flatMap((plugin) => neededBy(plugin, rest)).map(({ spec }) => spec.name))
  const known = new Set(standard.map(({ spec }) => spec.name))
  const builtin = [...standard, ...rest.filter(({ spec }) => used.has(spec.name) && !known.has(spec.name))]
  const unknown = left.find((name) => !builtin.some(({ spec }) => spec.name === name))
  if (unknown) throw new Error(`"without" names the plugin "${unknown}", which is not there`)
  const others = builtin.filter(({ spec }) => !names.has(spec.name))
  const stubs = Object.keys(override)
  if (stubs.length === 0) return others
  return [...others.map((plugin) => without(plugin, stubs)), stubOf(override)]
}

async function builtinOf(profile: 'standard' | 'all'): Promise<Plugin[]> {
  // The network of this kit, whatever else is installed.
  const listed = await importPlugins({ profile, listed: { sandbox: false }, base: process.cwd(), env: {} })
  return [...listed.map(({ plugin }) => plugin as Plugin), sandbox]
}

/** Whether those plugins provide each service and contract that it uses. */
function isServed(plugin: Plugin, all: readonly Plugin[]): boolean {
  const provided = new Set(
    all.flatMap(({ spec }) => [...(spec.provides ?? []), ...(spec.collects ?? [])].map(String)),
  )
  const { services, contracts } = usedBy(plugin)
  return [...services, ...contracts].every((name) => provided.has(name))
}

function usedBy(plugin: Plugin): { services: string[]; contracts: string[] } {
  const { needs = [], decorates = {}, contributes = {} } = plugin.spec
  return {
    services: [...needs, ...Object.keys(decorates)].map(String),
    contracts: Object.keys(contributes),
  }
}

/** The plugins among `others` that `plugin` needs, directly or indirectly, and those that collect its contributions. */
export function neededBy(plugin: Plugin, others: readonly Plugin[]): Plugin[] {
  const found = new Set<Plugin>()
  const visit = (one: Plugin): void => {
    const { services, contracts } = usedBy(one)
    for (const other of others) {
      const isUsed =
        other.spec.provides?.some((service) => services.includes(String(service))) ||
        other.spec.collects?.some((contract) => contracts.includes(contract))
      if (!isUsed || other === plugin || found.has(other)) continue
      found.add(other)
      visit(other)
    }
  }
  visit(plugin)
  return [...found]
}

/** Adds to each plugin its settings by name; settings for an unknown plugin are a mistake in the test. */
export function withConfig(plugins: readonly Plugin[], config: Readonly<Record<string, object>>): Listed[] {
  const unknown = Object.keys(config).find((name) => !plugins.some(({ spec }) => spec.name === name))
  if (unknown) throw new Error(`"config" names the plugin "${unknown}", which is not there`)
  return plugins.map((plugin) => ({ plugin, config: { ...config[plugin.spec.name] } }))
}

function without(plugin: Plugin, services: readonly string[]): Plugin {
  const { provides = [] } = plugin.spec
  const rest = provides.filter((service) => !services.includes(String(service)))
  return { ...plugin, spec: { ...plugin.spec, provides: rest } }
}

function stubOf(override: Override): Plugin {
  const services = Object.fromEntries(Object.entries(override).map(([name, value]) => [name, asValue(value)]))
  const plugin = definePlugin({ name: 'overrides', version: '0.0.0', api: '*', services: () => services })
  return { ...plugin, spec: { ...plugin.spec, provides: Object.keys(override) as ServiceName[] } }
}
