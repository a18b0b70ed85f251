import { existsSync, readFileSync } from 'node:fs'

/** Folder of the package that `here` belongs to: one up from kernel/ in source, two in the build. */
export function rootOf(here: string): URL {
  const up = new URL('../', here)
  return existsSync(new URL('package.json', up)) ? up : new URL('../../', here)
}

export function versionOf(root: URL): string {
  return (JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }).version
}
