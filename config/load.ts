import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parse as parseYaml } from 'yaml'
import { gatewayError, reasonOf } from '../kernel/errors.ts'
import type { Listed } from '../kernel/prepare.ts'
import { checkConfig } from '../kernel/validate/config.ts'
import { type Environment, readVariable } from './environment.ts'
import { importPlugins } from './plugins.ts'
import { type Config, ConfigSchema, ENVIRONMENT } from './schema.ts'

export interface Loaded {
  config: Config
  plugins: Listed[]
}

/**
 * The effective configuration: environment over file over defaults, with the enabled plugins imported.
 * Throws CONFIG_INVALID that names the key.
 *
 * @param force plugin entries that win over the file, for commands that need certain plugins.
 */
export async function loadConfig(env: Environment, force: Config['plugins'] = {}): Promise<Loaded> {
  const path = env['WAMUX_CONFIG']
  const file = path ? readFile(path) : {}
  const given = { ...file, ...fromEnvironment(env) }
  const checked = checkConfig(ConfigSchema, given)
  if ('faults' in checked) throw gatewayError('CONFIG_INVALID', [checked.faults.join('; ')])
  const config = checked.config as Config
  const base = path ? dirname(resolve(path)) : process.cwd()
  return { config, plugins: await importPlugins({ listed: config.plugins, force, base, env }) }
}

function readFile(path: string): Record<string, unknown> {
  try {
    // JSON is YAML too.
    const value: unknown = parseYaml(readFileSync(path, 'utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
    throw new Error('it must hold an object')
  } catch (cause) {
    throw gatewayError('CONFIG_INVALID', [`file ${path}: ${reasonOf(cause)}`], { cause })
  }
}

function fromEnvironment(env: Environment): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  for (const [variable, key] of Object.entries(ENVIRONMENT)) {
    const value = readVariable(env, variable)
    if (value === undefined) continue
    given[key] = key === 'allowPrivateHosts' ? value.split(',').map((host) => host.trim()) : value
  }
  return given
}
