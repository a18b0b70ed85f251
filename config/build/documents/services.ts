import { readFileSync } from 'node:fs'
import { CARDS } from '../../builtin.ts'
import { sourcesIn } from '../sources.ts'
import { contractTypes } from './service-types.ts'

const HEAD = `// biome-ignore-all assist/source/organizeImports: generated, by plugin
/**
 * Types only, as \`wamux/services\`: importing it declares to TypeScript what the built-in plugins add to the contract:
 * services, events, signals and what a socket can do. It has the types of services and contributions by name. Made by
 * \`npm run docs\`.
 *
 * @example import type {} from 'wamux/services'
 */
`

/** Characters of a line. */
const WIDTH = 110

/**
 * config/services.ts: one line for each file of a plugin that adds to the contract, and one for each file with types of services.
 * The declarations of an `index.ts` name none of the files that it imports for their values alone.
 */
export async function services(): Promise<string> {
  const plugins = declaring().map((file) => `export type {} from '../${file}'\n`)
  const types = new Map<string, string[]>()
  for (const { name, file } of contractTypes().filter(({ file }) => isOwn(file)))
    types.set(file, [...(types.get(file) ?? []), name])
  const files = [...types].map(([file, names]) => lineOf(names.sort(), file))
  return `${HEAD}\n${plugins.join('')}\n${files.join('')}`
}

function declaring(): string[] {
  return sourcesIn('plugins')
    .filter(isOwn)
    .filter((file) => /^declare module 'wamux\/plugin'/m.test(readFileSync(file, 'utf8')))
}

/** Packages of their own declare what they add when they are imported. */
function isOwn(file: string): boolean {
  return !CARDS[file.split(/[\\/]/)[1] ?? '']?.package
}

/** As the formatter has it. */
function lineOf(names: readonly string[], file: string): string {
  const line = `export type { ${names.join(', ')} } from '../${file}'\n`
  if (line.length <= WIDTH + 1) return line
  return `export type {\n${names.map((name) => `  ${name},\n`).join('')}} from '../${file}'\n`
}
