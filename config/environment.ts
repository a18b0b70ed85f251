import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { gatewayError, reasonOf } from '../kernel/errors.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** The environment, which overrides the file `.env` in the current folder; in production that file is not read. */
export function withDotEnv(env: Environment, folder = process.cwd()): Environment {
  const file = join(folder, '.env')
  if (env['NODE_ENV'] === 'production' || !existsSync(file)) return env
  return { ...parseEnv(readFileSync(file, 'utf8')), ...env }
}

/** A variable, or the content of the file named by its `_FILE` variable; an empty variable counts as absent. */
export function readVariable(env: Environment, variable: string): string | undefined {
  const file = env[`${variable}_FILE`]
  if (!file) return env[variable] || undefined
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (cause) {
    throw gatewayError('CONFIG_INVALID', [`${variable}_FILE: ${reasonOf(cause)}`], { cause })
  }
}

/** Converts the text of a variable: a list is split at commas, everything else is converted by its schema. */
export function fromText(text: string, schema: object | undefined): unknown {
  const isList = (schema as { type?: unknown } | undefined)?.type === 'array'
  return isList ? text.split(',').map((item) => item.trim()) : text
}

/** The variable for a plugin's setting: WAMUX_WEBHOOK_TIMEOUT_MS for `timeoutMs` of `webhook`. */
export function variableOf(plugin: string, key: string): string {
  return `WAMUX_${shout(plugin)}_${shout(key)}`
}

function shout(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^a-z0-9]+/gi, '_')
    .toUpperCase()
}
