import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gatewayError, reasonOf } from '../kernel/errors.ts'
import type { Listed } from '../kernel/prepare.ts'
import type { Plugin } from '../kernel/types/plugin.ts'
import { BUILTIN, STANDARD } from './builtin.ts'
import { type Environment, readVariable } from './environment.ts'
import type { Config } from './schema.ts'

type Entries = NonNullable<Config['plugins']>

export interface ImportOptions {
  listed: Config['plugins']
  /** Wins over `listed`. */
  force: Config['plugins']
  /** Folder that paths and packages are resolved from: the configuration file's. */
  base: string
  env: Environment
}

/** Imports what is switched on, and nothing else. `WAMUX_<PLUGIN>_<KEY>` wins over the file. */
export async function importPlugins({ listed, force, base, env }: ImportOptions): Promise<Listed[]> {
  const standard = Object.fromEntries(STANDARD.map((name) => [name, true]))
  const entries: Entries = { ...(listed ?? standard), ...force }
  const plugins: Listed[] = []
  for (const [name, entry] of Object.entries(entries)) {
    if (entry === false) continue
    const { default: plugin } = await importOne(name, base)
    const { config = {}, optional = false } = entry === true ? {} : entry
    plugins.push({ plugin, optional, config: { ...config, ...fromEnvironment(plugin, env) } })
  }
  return plugins
}

async function importOne(name: string, base: string): Promise<{ default: unknown }> {
  const builtin = BUILTIN[name]
  try {
    if (builtin) return await builtin()
    const path = createRequire(join(base, 'package.json')).resolve(name)
    return (await import(pathToFileURL(path).href)) as { default: unknown }
  } catch (cause) {
    const known = Object.keys(BUILTIN).join(', ')
    const text = `plugin "${name}" can not be loaded from ${base}: ${reasonOf(cause)} (built in: ${known})`
    throw gatewayError('CONFIG_INVALID', [text], { cause })
  }
}

/** Only keys of the plugin's own schema are looked for: `timeoutMs` of `webhook` is WAMUX_WEBHOOK_TIMEOUT_MS. */
function fromEnvironment(plugin: unknown, env: Environment): Record<string, unknown> {
  const spec = (plugin as Partial<Plugin> | undefined)?.spec
  const keys = Object.keys((spec?.config as { properties?: object } | undefined)?.properties ?? {})
  const given: Record<string, unknown> = {}
  for (const key of keys) {
    const value = readVariable(env, `WAMUX_${shout(spec?.name ?? '')}_${shout(key)}`)
    if (value !== undefined) given[key] = value
  }
  return given
}

function shout(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^a-z0-9]+/gi, '_')
    .toUpperCase()
}
