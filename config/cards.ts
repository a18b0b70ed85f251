import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The content of `plugin.json` in a plugin's folder, which can be read without importing the plugin. */
export interface PluginCard {
  /** Profiles that have the plugin switched on; `all` always does. */
  profiles: readonly string[]
  /** Not even in `all`: it needs settings, and is on only where it is listed. */
  isOptIn?: boolean
  /** The npm package that contains the plugin, if it is not wamux itself. */
  package?: string
}

/** Cards by name, sorted, of the folders under `folder` that have a file `index`: each of them is a plugin. */
export function readCards(folder: string, index: string): Record<string, PluginCard> {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, index)))
  return Object.fromEntries(names.sort().map((name) => [name, readCard(join(folder, name, 'plugin.json'))]))
}

function readCard(path: string): PluginCard {
  return JSON.parse(readFileSync(path, 'utf8')) as PluginCard
}
