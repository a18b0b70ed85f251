import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { commandFailed, reasonOf } from '../../errors.ts'
import { type Candidate, type ImportedAccount, type ImportSource, linkedCreds } from './account.ts'
import { collectKeys, nameOfFile } from './key-names.ts'

/** Folders written by useMultiFileAuthState of Baileys 6 or 7: `path` is one of them or contains some. */
export function baileysFolders(path: string): ImportSource {
  return {
    async candidates() {
      if (!existsSync(path) || !statSync(path).isDirectory()) throw commandFailed(`${path} is not a folder`)
      const folders = isAuthFolder(path)
        ? [path]
        : readdirSync(path)
            .sort()
            .map((name) => join(path, name))
            .filter(isAuthFolder)
      if (folders.length === 0) throw commandFailed(`${path} has no creds.json, and no folder in it has one`)
      return folders.map(candidate)
    },
    close: async () => undefined,
  }
}

function isAuthFolder(path: string): boolean {
  return existsSync(join(path, 'creds.json'))
}

function candidate(folder: string): Candidate {
  const label = basename(resolve(folder))
  return {
    label,
    read: async () => ({
      name: label,
      webhook: '',
      subscribe: ['All'],
      ...readFolder(folder, readFileSync(join(folder, 'creds.json'), 'utf8')),
    }),
  }
}

/** The keys of a folder, with the credentials given as JSON. */
export function readFolder(folder: string, creds: string): Pick<ImportedAccount, 'creds' | 'keys' | 'notes'> {
  const files = existsSync(folder) ? readdirSync(folder) : []
  const names = files.filter((file) => file.endsWith('.json') && file !== 'creds.json')
  let reading = 'creds.json'
  try {
    const linked = linkedCreds(JSON.parse(creds))
    const { keys, unknown } = collectKeys(entries())
    const notes =
      unknown.length > 0 ? [`not imported: ${unknown.length} files, for example ${unknown[0]}.json`] : []
    return { creds: linked, keys, notes }
  } catch (cause) {
    if (cause instanceof SyntaxError) throw commandFailed(`${reading} is damaged: ${reasonOf(cause)}`, cause)
    throw cause
  }

  function* entries(): Generator<readonly [string, string]> {
    for (const file of names) {
      reading = file
      yield [nameOfFile(file), readFileSync(join(folder, file), 'utf8')]
    }
  }
}
