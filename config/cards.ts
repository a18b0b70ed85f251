import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What stands in `plugin.json` of a plugin's folder, readable without importing the plugin. */
export interface PluginCard {
  /** Profiles that the plugin is on in, beside `all`, which has every plugin. */
  profiles: readonly string[]
}

/** The folders under `folder` that hold the file `index` are plugins: their cards by name, sorted. */
export function readCards(folder: string, index: string): Record<string, PluginCard> {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, index)))
  return Object.fromEntries(names.sort().map((name) => [name, readCard(join(folder, name, 'plugin.json'))]))
}

function readCard(path: string): PluginCard {
  return JSON.parse(readFileSync(path, 'utf8')) as PluginCard
}
