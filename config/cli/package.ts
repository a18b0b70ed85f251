import { existsSync, readFileSync } from 'node:fs'

/** Folder of this package: two levels above config/cli/ in the sources, three in the build. */
export const ROOT = rootOf(import.meta.url)

export const VERSION = (
  JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { version: string }
).version

function rootOf(here: string): URL {
  const up = new URL('../../', here)
  return existsSync(new URL('package.json', up)) ? up : new URL('../../../', here)
}
