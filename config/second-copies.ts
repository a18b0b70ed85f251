import { readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from '../kernel/types/plugin.ts'
import { CARDS } from './builtin.ts'
import type { LoadedConfig } from './load.ts'

/**
 * A line for each plugin that imports a copy of wamux other than the running one, whose schemas, services and types may
 * differ.
 *
 * @param root folder of the running package.
 */
export function secondCopies({ plugins, base }: Pick<LoadedConfig, 'plugins' | 'base'>, root: URL): string[] {
  const running = realpathSync(fileURLToPath(root))
  return plugins.flatMap(({ from = '', plugin }) => {
    const module = from in CARDS ? CARDS[from]?.package : from
    const own = module && wamuxOf(module, base)
    if (!own || own === running) return []
    const name = (plugin as Partial<Plugin> | undefined)?.spec?.name ?? from
    const copy = `wamux ${versionIn(own)} in ${own}`
    return [
      `plugin "${name}" uses its own copy, ${copy}, not the running ${versionIn(running)} in ${running}; name wamux in its package.json under "peerDependencies", not "dependencies", and install again`,
    ]
  })
}

/** The folder of the wamux that the plugin imports; undefined if there is no such plugin or no wamux. */
function wamuxOf(from: string, base: string): string | undefined {
  try {
    const plugin = createRequire(join(base, 'package.json')).resolve(from)
    return realpathSync(dirname(createRequire(plugin).resolve('wamux/package.json')))
  } catch {
    return undefined
  }
}

function versionIn(folder: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: string }
  return version ?? 'without a version'
}
