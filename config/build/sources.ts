import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Paths of the TypeScript files of a folder, without what is built into it, generated or installed. */
export function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/(^|\/)(dist|node_modules)\//.test(name))
    .map((name) => join(folder, name))
    .filter((file) => file !== 'plugins/docs/clients/typescript/api.ts')
    .sort()
}
