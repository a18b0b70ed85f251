import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../environment.ts'
import { commandFailed } from '../../errors.ts'

/** As written by `new-plugin`. */
const FILE = 'wamux.yaml'

interface PackageFile {
  main?: unknown
  exports?: unknown
  scripts?: Record<string, string>
}

/**
 * The environment in which a gateway runs a folder's plugin: with its configuration file, or else with the module that its
 * package exports. `what` names it. Throws COMMAND_FAILED if there is neither.
 */
export function withPluginOf(folder: string, env: Environment): { env: Environment; what: string } {
  const configured = env['WAMUX_CONFIG']
  if (configured) return { env, what: configured }
  const file = join(folder, FILE)
  if (existsSync(file)) return { env: { ...env, WAMUX_CONFIG: file }, what: FILE }
  const entry = entryOf(packageOf(folder))
  if (entry)
    return {
      env: { ...env, WAMUX_PLUGINS: [env['WAMUX_PLUGINS'], entry].filter(Boolean).join() },
      what: entry,
    }
  throw commandFailed(
    `there is no plugin here: neither a ${FILE} nor a package.json with "exports" or "main" in ${folder}; "wamux new-plugin <name>" makes one`,
  )
}

export function packageOf(folder: string): PackageFile {
  const file = join(folder, 'package.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PackageFile) : {}
}

/** Path of the package's main module, relative to its folder. */
function entryOf({ exports, main }: PackageFile): string | undefined {
  const path = targetOf(exports) ?? main
  if (typeof path !== 'string') return undefined
  return path.startsWith('./') ? path : `./${path}`
}

/** `exports`: a path, conditions, or subpaths with either. */
function targetOf(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports
  if (typeof exports !== 'object' || exports === null) return undefined
  const conditions = exports as Record<string, unknown>
  const found = conditions['.'] ?? conditions['import'] ?? conditions['default']
  return targetOf(found)
}
