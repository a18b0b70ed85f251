import { cpSync, readdirSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'wamux/plugin'
import { readersFolder } from '../docs/reader.ts'

/** An example of a plugin, outside this repository's package, as its author has it. */
export async function loadExample(name: 'auto-responder' | 'steady-pace' | 'upsert-format'): Promise<Plugin> {
  const { folder } = readersFolder()
  const from = `test/fixtures/${name}`
  for (const part of readdirSync(from).filter((part) => ['src', 'page'].includes(part)))
    cpSync(`${from}/${part}`, `${folder}/${part}`, { recursive: true })
  return (await import(pathToFileURL(`${folder}/src/index.ts`).href)).default as Plugin
}
