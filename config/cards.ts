import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The content of a plugin's `plugin.json`, which can be read without importing the plugin. */
export interface PluginCard {
  /** Profiles that enable the plugin; `all` always does. */
  profiles: readonly string[]
  /** Excluded even from `all`: it needs settings and is enabled only if listed. */
  isOptIn?: boolean
  /** The npm package that contains the plugin, if it is not wamux itself. */
  package?: string
}

/** Sorted cards by name of the folders under `folder` that contain the file `index`: each is a plugin. */
export function readCards(folder: string, index: string): Record<string, PluginCard> {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, index)))
  return Object.fromEntries(names.sort().map((name) => [name, readCard(join(folder, name, 'plugin.json'))]))
}

function readCard(path: string): PluginCard {
  return JSON.parse(readFileSync(path, 'utf8')) as PluginCard
}
