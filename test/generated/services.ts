import { CARDS } from '../../config/builtin.ts'
import { contractTypes } from '../kit/service-types.ts'

const HEAD = `// biome-ignore-all assist/source/organizeImports: generated, by plugin
/**
 * Types only, as \`wamux/services\`: importing it declares to TypeScript what the built-in plugins add to the contract:
 * services, events, signals and what a socket can do. It has the types of services and contributions by name. Made by
 * \`npm run docs\`.
 *
 * @example import type {} from 'wamux/services'
 */
`

/** config/services.ts: one line for each folder of plugins/, and one for each file with types of services. */
export async function services(): Promise<string> {
  const plugins = Object.keys(CARDS).map((name) => `export type {} from '../plugins/${name}/index.ts'\n`)
  const types = new Map<string, string[]>()
  for (const { name, file } of contractTypes()) types.set(file, [...(types.get(file) ?? []), name])
  const files = [...types].map(
    ([file, names]) => `export type { ${names.sort().join(', ')} } from '../${file}'\n`,
  )
  return `${HEAD}\n${plugins.join('')}\n${files.join('')}`
}
