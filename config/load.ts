import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { gatewayError, reasonOf } from '../kernel/errors.ts'
import { checkConfig } from '../kernel/validate/config.ts'
import type { Listed } from '../kernel/wiring/prepare.ts'
import { assertSecret } from './admin-token.ts'
import { CARDS } from './builtin.ts'
import { type Environment, fromText, readVariable } from './environment.ts'
import { importPlugins } from './plugins.ts'
import { PROFILES } from './profiles.ts'
import { isObject, resolveReferences } from './references.ts'
import { type Config, ConfigSchema, ENVIRONMENT } from './schema.ts'

export interface Settings {
  config: Config
  /** The content of the configuration file; empty without one. */
  file: Record<string, unknown>
  /** Folder from which plugin packages and paths are resolved. */
  base: string
}

export interface LoadedConfig extends Settings {
  plugins: Listed[]
}

/**
 * The effective configuration with the enabled plugins imported.
 *
 * @param force plugin entries that override the file, for commands that need certain plugins.
 * @param seconds time limit of one plugin's import.
 */
export async function loadConfig(
  env: Environment,
  force: Config['plugins'] = {},
  seconds?: number,
): Promise<LoadedConfig> {
  const settings = readConfig(env)
  const { profile, plugins: listed } = settings.config
  const { base } = settings
  const options = { profile, listed, force, base, env, ...(seconds ? { seconds } : {}) }
  return { ...settings, plugins: await importPlugins(options) }
}

/** Environment over file over defaults. Throws CONFIG_INVALID, which names the key. */
export function readConfig(env: Environment): Settings {
  const path = env['WAMUX_CONFIG']
  const file = path ? readFile(path) : {}
  const checked = checkConfig(ConfigSchema, resolved({ ...file, ...fromEnvironment(env, file) }, env))
  if ('faults' in checked) throw gatewayError('CONFIG_INVALID', [checked.faults.join('; ')])
  const config = checked.config as Config
  if (config.adminToken) assertSecret(config.adminToken, 'adminToken')
  assertHosts(config.allowPrivateHosts)
  return { config, file, base: path ? dirname(resolve(path)) : process.cwd() }
}

function readFile(path: string): Record<string, unknown> {
  try {
    // Only with a file. YAML includes JSON.
    const { parse } = createRequire(import.meta.url)('yaml') as typeof import('yaml')
    const value: unknown = parse(readFileSync(path, 'utf8'))
    if (isObject(value)) return { ...value }
    throw new Error('it must hold an object')
  } catch (cause) {
    throw gatewayError('CONFIG_INVALID', [`file ${path}: ${reasonOf(cause)}`], { cause })
  }
}

/** Leaves plugin settings unchanged: for enabled plugins they are resolved later, by the plugin's own schema. */
function resolved({ plugins, ...rest }: Record<string, unknown>, env: Environment): Record<string, unknown> {
  const faults: string[] = []
  const resolve = (value: unknown, key = '', schema?: unknown): unknown =>
    resolveReferences(value, { env, schema, key, faults })
  const given = resolve(rest, '', ConfigSchema) as Record<string, unknown>
  if (isObject(plugins)) {
    const entries = Object.entries(plugins).map(([name, entry]) => {
      const key = `plugins.${name}`
      if (!isObject(entry) || !('config' in entry)) return [name, resolve(entry, key)]
      const { config, ...other } = entry
      return [name, { ...(resolve(other, key) as object), config }]
    })
    given['plugins'] = Object.fromEntries(entries)
  } else if (plugins !== undefined) given['plugins'] = plugins
  if (faults.length > 0) throw gatewayError('CONFIG_INVALID', [faults.join('; ')])
  return given
}

function fromEnvironment(env: Environment, file: Record<string, unknown>): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  for (const [variable, key] of Object.entries(ENVIRONMENT)) {
    const value = readVariable(env, variable)
    if (value === undefined) continue
    given[key] =
      key === 'plugins'
        ? withPluginList(file['plugins'], value)
        : fromText(value, ConfigSchema.properties[key])
  }
  return given
}

/** Not host names, but values written by people who take the list for a switch. */
const SWITCH = /^(true|false|yes|no|on|off|all|any|none|0|1)$/i
const NAME = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/i

/** Throws CONFIG_INVALID for an entry that no host can match. */
function assertHosts(hosts: readonly string[]): void {
  const wrong = hosts.find((host) => !isHost(host))
  if (wrong === undefined) return
  throw gatewayError('CONFIG_INVALID', [
    `allowPrivateHosts: "${wrong}" is not a host; list addresses, networks or host names without ports, for example 127.0.0.1,10.0.0.0/8,hooks.internal`,
  ])
}

function isHost(host: string): boolean {
  if (SWITCH.test(host)) return false
  return ipaddr.isValid(host) || ipaddr.isValidCIDR(host) || NAME.test(host)
}

/**
 * The entries of `plugins`, overridden by WAMUX_PLUGINS: `labels,-webhook,@acme/crm` switches on, or with a minus off. A
 * plugin switched on keeps its settings from the file. Throws CONFIG_INVALID.
 */
function withPluginList(entries: unknown, text: string): Record<string, unknown> {
  const known: Record<string, unknown> = isObject(entries) ? entries : {}
  const merged = { ...known }
  const seen = new Set<string>()
  for (const item of text.split(',').map((one) => one.trim())) {
    if (!item) continue
    const isOff = item.startsWith('-')
    const name = item.replace(/^[+-]\s*/, '')
    if (!name) throw invalid(`"${item}" has no name`)
    if (name in PROFILES) throw invalid(`"${name}" is a profile; set it with WAMUX_PROFILE`)
    if (seen.has(name)) throw invalid(`"${name}" stands in it twice`)
    seen.add(name)
    if (isOff && !(name in CARDS) && !(name in known))
      throw invalid(
        `there is no plugin "${name}" to switch off; the built-in ones are ${Object.keys(CARDS).join(', ')}`,
      )
    merged[name] = isOff ? false : known[name] || true
  }
  return merged
}

function invalid(words: string): Error {
  return gatewayError('CONFIG_INVALID', [`WAMUX_PLUGINS: ${words}`])
}
