import { CARDS } from '../../config/builtin.ts'

const HEAD = `/**
 * Types only, as \`wamux/services\`: importing it tells TypeScript what the built-in plugins add to the contract:
 * services, events, signals and what a socket can do. Made by \`npm run docs\`.
 *
 * @example import type {} from 'wamux/services'
 */
`

/** config/services.ts: one line for each folder of plugins/. */
export async function services(): Promise<string> {
  const lines = Object.keys(CARDS).map((name) => `export type {} from '../plugins/${name}/index.ts'\n`)
  return `${HEAD}\n${lines.join('')}`
}
