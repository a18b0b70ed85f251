import type { Plugin } from '../kernel/types/plugin.ts'
import { checkConfig } from '../kernel/validate/config.ts'
import { CARDS } from './builtin.ts'
import { type Environment, readVariable, variableOf } from './environment.ts'
import type { LoadedConfig } from './load.ts'
import { isObject, isReference, referencesIn } from './references.ts'
import { ConfigSchema, ENVIRONMENT } from './schema.ts'

interface Line {
  key: string
  value: unknown
  /** The value in the file, with references unresolved. */
  given: unknown
  /** `default`, `file …` or `environment …`. */
  source: string
}

/** Every effective setting and its source, one per line, with secrets masked. */
export function effective(loaded: LoadedConfig, env: Environment): string {
  const lines = [...ofKernel(loaded, env), ...loaded.plugins.flatMap((entry) => ofPlugin(entry, loaded, env))]
  const shown = lines.map(
    ({ key, value, given, source }) => [key, masked(key, value, given), source] as const,
  )
  const width = (column: 0 | 1): number => Math.max(...shown.map((line) => line[column].length))
  const text = shown.map(
    ([key, value, source]) => `${key.padEnd(width(0))}  ${value.padEnd(width(1))}  ${source}`,
  )
  return text.map((line) => `${line}\n`).join('')
}

/** Variables that look like settings but belong to no enabled plugin, and switched-off names that belong to no plugin. */
export function unused(loaded: LoadedConfig, env: Environment): string[] {
  const known = new Set(['WAMUX_CONFIG', ...Object.keys(ENVIRONMENT)])
  for (const { plugin } of loaded.plugins) {
    const { name = '', config } = specOf(plugin)
    for (const key of keysOf(config)) known.add(variableOf(name, key))
  }
  // The file may refer to any variable.
  for (const { $env } of referencesIn(loaded.file)) known.add($env)
  const variables = Object.keys(env).filter(
    (name) => name.startsWith('WAMUX_') && !known.has(name.replace(/_FILE$/, '')),
  )
  const off = Object.entries(loaded.config.plugins ?? {})
    .filter(([name, entry]) => entry === false && /^[a-z]+$/.test(name) && !(name in CARDS))
    .map(([name]) => `plugins.${name}`)
  return [...variables, ...off]
}

function ofKernel({ config, file }: LoadedConfig, env: Environment): Line[] {
  const variables = Object.entries(ENVIRONMENT)
  // The file's entries appear in the settings of their plugins.
  const isShown = (key: string): boolean =>
    key !== 'plugins' || readVariable(env, 'WAMUX_PLUGINS') !== undefined
  return keysOf(ConfigSchema)
    .filter(isShown)
    .map((key) => {
      const variable = variables.find(([, of]) => of === key)?.[0] ?? ''
      const given = file[key]
      const value = key === 'plugins' ? readVariable(env, variable) : config[key as keyof typeof config]
      return { key, value, given, source: sourceOf(env, variable, given) }
    })
}

function ofPlugin(
  { plugin, config = {}, from = '' }: LoadedConfig['plugins'][number],
  { file }: LoadedConfig,
  env: Environment,
): Line[] {
  const { name = from, config: schema } = specOf(plugin)
  const checked = checkConfig(schema, config)
  const values = 'config' in checked ? checked.config : config
  const inFile = (file['plugins'] as Record<string, { config?: object } | boolean> | undefined)?.[from]
  const given = (typeof inFile === 'object' ? (inFile.config ?? {}) : {}) as Record<string, unknown>
  return keysOf(schema).map((key) => ({
    key: `${name}.${key}`,
    value: values[key],
    given: given[key],
    source: sourceOf(env, variableOf(name, key), given[key]),
  }))
}

/** Empty for an optional plugin that could not be imported. */
function specOf(plugin: unknown): Partial<Plugin['spec']> {
  return (plugin as Partial<Plugin> | undefined)?.spec ?? {}
}

function keysOf(schema: unknown): string[] {
  return Object.keys((schema as { properties?: object } | undefined)?.properties ?? {})
}

function sourceOf(env: Environment, variable: string, given: unknown): string {
  if (readVariable(env, variable) !== undefined) return `environment ${nameIn(env, variable)}`
  if (given === undefined) return 'default'
  const file = `file ${env['WAMUX_CONFIG']}`
  const taken = referencesIn(given)
    .map(({ $env }) => $env)
    .filter((name) => readVariable(env, name) !== undefined)
    .map((name) => nameIn(env, name))
  return taken.length > 0 ? `environment ${taken.join(', ')}, which ${file} names` : file
}

function nameIn(env: Environment, variable: string): string {
  return env[`${variable}_FILE`] ? `${variable}_FILE` : variable
}

const SECRET = /(token|secret|password|passphrase|credentials?|keys?)$/i

/** Masks texts that are secret by their own or their variable's name; in an address only the password. */
function masked(key: string, value: unknown, given?: unknown): string {
  if (value === undefined) return '(not set)'
  const shown = mask(key, value, given, false)
  return typeof shown === 'string' ? shown : JSON.stringify(shown)
}

function mask(key: string, value: unknown, given: unknown, isInSecret: boolean): unknown {
  const isSecret = isInSecret || SECRET.test(key) || (isReference(given) && SECRET.test(given.$env))
  if (Array.isArray(value))
    return value.map((item, at) => mask(key, item, Array.isArray(given) ? given[at] : given, isSecret))
  if (isObject(value)) {
    const below = isObject(given) ? given : {}
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, mask(name, inner, below[name], isSecret)]),
    )
  }
  if (typeof value !== 'string') return value
  if (isSecret) return '********'
  return value.replace(/(:\/\/[^:/@]*):[^@]*@/, '$1:********@').replace(/(password=)[^&]*/gi, '$1********')
}
