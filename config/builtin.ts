import { existsSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type PluginCard, readCards } from './cards.ts'

const FOLDER = new URL('../plugins/', import.meta.url)
/** Written by the build, so that a release reads one file (write-builtin.ts). */
const LIST = new URL('builtin.json', FOLDER)
/** `.ts` in the sources, `.js` in a build. */
const INDEX = `index${extname(import.meta.url)}`

/** The plugins of this repository by name: each folder under plugins/ with an index is one. */
export const CARDS: Readonly<Record<string, PluginCard>> = existsSync(LIST)
  ? JSON.parse(readFileSync(LIST, 'utf8'))
  : readCards(fileURLToPath(FOLDER), INDEX)

/** Imports by name; a plugin that is not enabled is not imported. Packages are those that are installed beside this one. */
export const BUILTIN: Readonly<Record<string, () => Promise<{ default: unknown }>>> = Object.fromEntries(
  Object.entries(CARDS).map(([name, card]) => [
    name,
    () => import(card.package ?? new URL(`${name}/${INDEX}`, FOLDER).href),
  ]),
)
