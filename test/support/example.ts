import { cpSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'wamux/plugin'
import { readersFolder } from '../docs/reader.ts'

/** The plugin auto-responder, outside this repository's package, as its author has it. */
export async function loadExample(): Promise<Plugin> {
  const { folder } = readersFolder()
  for (const part of ['src', 'page'])
    cpSync(`test/fixtures/auto-responder/${part}`, `${folder}/${part}`, { recursive: true })
  return (await import(pathToFileURL(`${folder}/src/index.ts`).href)).default as Plugin
}
