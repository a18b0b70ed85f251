import { pathToFileURL } from 'node:url'
import type { Plugin } from '../kernel/types/plugin.ts'
import type { Listed } from '../kernel/wiring/prepare.ts'
import { within } from '../kernel/wiring/within.ts'
import { BUILTIN, CARDS } from './builtin.ts'
import { type Environment, fromText, readVariable, variableOf } from './environment.ts'
import { type GatewayError, gatewayError, isGatewayError, reasonOf } from './errors.ts'
import { PROFILES } from './profiles.ts'
import { resolveReferences } from './references.ts'
import { resolveFrom, resolvePackage } from './resolve.ts'
import type { Config } from './schema.ts'

type Entries = NonNullable<Config['plugins']>

export interface ImportOptions {
  profile: Config['profile']
  /** Switches single plugins on or off, on top of the profile. */
  listed: Config['plugins']
  /** Overrides `listed`. */
  force?: Config['plugins']
  /** Folder from which paths and packages are resolved: the configuration file's. */
  base: string
  env: Environment
  /** Time limit of one import, in seconds. */
  seconds?: number
}

const IMPORT_S = 10

/**
 * Imports the enabled plugins only. `WAMUX_<PLUGIN>_<KEY>` overrides the file. A failed import is reported with the other
 * start-up faults, so that an operator sees all of them at once.
 */
export async function importPlugins({
  profile,
  listed,
  force,
  base,
  env,
  seconds,
}: ImportOptions): Promise<Listed[]> {
  // A profile has what is installed; what the operator lists must be there.
  const installed = PROFILES[profile].filter((name) => isInstalled(name, base))
  const standing = Object.fromEntries(installed.map((name) => [name, true]))
  const entries: Entries = { ...standing, ...listed, ...force }
  const plugins: Listed[] = []
  for (const [from, entry] of Object.entries(entries)) {
    if (entry === false) continue
    const { config = {}, optional = false } = entry === true ? {} : entry
    const imported = await importOne(from, base, seconds)
    const { plugin } = imported
    const settings = settingsOf(imported, from, config, env)
    const fault = imported.fault ?? settings.fault
    plugins.push({ from, plugin, optional, config: settings.config, ...(fault ? { fault } : {}) })
  }
  return plugins
}

/** One plugin by its name, package or path, or by its own name if it is listed; it need not be switched on. */
export async function findPlugin(
  name: string,
  { listed, base }: Pick<ImportOptions, 'listed' | 'base'>,
): Promise<Plugin> {
  const isNamed = ({ plugin }: Imported): boolean => (plugin as Partial<Plugin>)?.spec?.name === name
  const direct = await importOne(name, base)
  if (!direct.fault) return direct.plugin as Plugin
  for (const from of Object.keys(listed ?? {})) {
    const other = from in BUILTIN ? undefined : await importOne(from, base)
    if (other && isNamed(other)) return other.plugin as Plugin
  }
  throw direct.fault
}

interface Imported {
  plugin: unknown
  fault?: GatewayError
}

async function importOne(from: string, base: string, seconds = IMPORT_S): Promise<Imported> {
  const builtin = BUILTIN[from]
  const inPackage = CARDS[from]?.package
  if (builtin && !inPackage) return { plugin: (await builtin()).default }
  let path: string
  try {
    path = inPackage ? resolvePackage(from, inPackage, base) : resolveFrom(base, from)
  } catch (cause) {
    if (isGatewayError(cause)) return { plugin: undefined, fault: cause }
    const known = Object.keys(BUILTIN).join(', ')
    const fault = gatewayError('PLUGIN_MISSING', [from, base, whyMissing(cause), known], { cause })
    return { plugin: undefined, fault }
  }
  try {
    // A top-level await in the module may never resolve.
    const module = await within(import(pathToFileURL(path).href), seconds, [from, 'import'])
    return { plugin: (module as { default?: unknown }).default }
  } catch (cause) {
    const isLate = (cause as Partial<GatewayError>).code === 'PLUGIN_TIMEOUT'
    const fault = isLate
      ? (cause as GatewayError)
      : gatewayError('PLUGIN_FAILED', [from, 'import', reasonOf(cause)], { cause })
    return { plugin: undefined, fault }
  }
}

/** Whether it is part of this package, or its own package is there. */
function isInstalled(name: string, base: string): boolean {
  const { package: specifier } = CARDS[name] ?? {}
  if (!specifier) return true
  try {
    resolvePackage(name, specifier, base)
    return true
  } catch {
    return false
  }
}

function whyMissing(cause: unknown): string {
  if ((cause as { code?: string }).code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED')
    return 'no such package or file there'
  return 'its package.json exports nothing under the condition "default", which its author must add'
}

/** The file's settings, overridden by the environment; a reference to an unset variable is a fault. */
function settingsOf(
  { plugin }: Imported,
  from: string,
  given: Record<string, unknown>,
  env: Environment,
): { config: Record<string, unknown>; fault?: GatewayError } {
  const { name = from, config: schema } = (plugin as Partial<Plugin> | undefined)?.spec ?? {}
  const faults: string[] = []
  const merged = { ...given, ...fromEnvironment(plugin, env) }
  const config = resolveReferences(merged, { env, schema, faults }) as Record<string, unknown>
  if (faults.length === 0) return { config }
  const variables = variableOf(name, '').slice('WAMUX_'.length, -1)
  return { config, fault: gatewayError('PLUGIN_CONFIG', [name, faults.join('; '), variables]) }
}

/** Reads the variables for the keys of the plugin's schema. */
function fromEnvironment(plugin: unknown, env: Environment): Record<string, unknown> {
  const spec = (plugin as Partial<Plugin> | undefined)?.spec
  const { properties = {} } = (spec?.config ?? {}) as { properties?: Record<string, object> }
  const given: Record<string, unknown> = {}
  for (const [key, schema] of Object.entries(properties)) {
    const value = readVariable(env, variableOf(spec?.name ?? '', key))
    if (value !== undefined) given[key] = fromText(value, schema)
  }
  return given
}
