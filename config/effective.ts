import type { Plugin } from '../kernel/types/plugin.ts'
import { checkConfig } from '../kernel/validate/config.ts'
import { type Environment, readVariable, variableOf } from './environment.ts'
import type { Loaded } from './load.ts'
import { ConfigSchema, ENVIRONMENT } from './schema.ts'

interface Line {
  key: string
  value: unknown
  /** `default`, `file …` or `environment …`. */
  source: string
}

/** Every setting in effect with where it comes from, one a line, secrets masked. */
export function effective(loaded: Loaded, env: Environment): string {
  const lines = [...ofKernel(loaded, env), ...loaded.plugins.flatMap((entry) => ofPlugin(entry, loaded, env))]
  const shown = lines.map(({ key, value, source }) => [key, masked(key, value), source] as const)
  const width = (column: 0 | 1): number => Math.max(...shown.map((line) => line[column].length))
  const text = shown.map(
    ([key, value, source]) => `${key.padEnd(width(0))}  ${value.padEnd(width(1))}  ${source}`,
  )
  return text.map((line) => `${line}\n`).join('')
}

/** Variables that look like settings and are none, of what is on. */
export function unused(loaded: Loaded, env: Environment): string[] {
  const known = new Set(['WAMUX_CONFIG', ...Object.keys(ENVIRONMENT)])
  for (const { plugin } of loaded.plugins) {
    const { name = '', config } = specOf(plugin)
    for (const key of keysOf(config)) known.add(variableOf(name, key))
  }
  return Object.keys(env).filter(
    (name) => name.startsWith('WAMUX_') && !known.has(name.replace(/_FILE$/, '')),
  )
}

function ofKernel({ config, file }: Loaded, env: Environment): Line[] {
  const variables = Object.entries(ENVIRONMENT)
  return keysOf(ConfigSchema)
    .filter((key) => key !== 'plugins')
    .map((key) => {
      const variable = variables.find(([, of]) => of === key)?.[0] ?? ''
      return { key, value: config[key as keyof typeof config], source: sourceOf(env, variable, key in file) }
    })
}

function ofPlugin(
  { plugin, config = {}, from = '' }: Loaded['plugins'][number],
  { file }: Loaded,
  env: Environment,
): Line[] {
  const { name = from, config: schema } = specOf(plugin)
  const checked = checkConfig(schema, config)
  const values = 'config' in checked ? checked.config : config
  const inFile = (file['plugins'] as Record<string, { config?: object } | boolean> | undefined)?.[from]
  const given = typeof inFile === 'object' ? (inFile.config ?? {}) : {}
  return keysOf(schema).map((key) => ({
    key: `${name}.${key}`,
    value: values[key],
    source: sourceOf(env, variableOf(name, key), key in given),
  }))
}

/** Nothing, of an optional plugin that could not be imported. */
function specOf(plugin: unknown): Partial<Plugin['spec']> {
  return (plugin as Partial<Plugin> | undefined)?.spec ?? {}
}

function keysOf(schema: unknown): string[] {
  return Object.keys((schema as { properties?: object } | undefined)?.properties ?? {})
}

function sourceOf(env: Environment, variable: string, isInFile: boolean): string {
  if (readVariable(env, variable) !== undefined)
    return `environment ${env[`${variable}_FILE`] ? `${variable}_FILE` : variable}`
  return isInFile ? `file ${env['WAMUX_CONFIG']}` : 'default'
}

/** What a name calls secret is not shown at all, an address without its password. */
function masked(key: string, value: unknown): string {
  if (value === undefined) return '(not set)'
  if (/(token|secret|password|keys?)$/i.test(key)) return '********'
  if (typeof value !== 'string') return JSON.stringify(value)
  return value.replace(/(:\/\/[^:/@]*):[^@]*@/, '$1:********@').replace(/(password=)[^&]*/gi, '$1********')
}
