import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nameOfFile } from '../../../../config/cli/import/key-names.ts'

/** The JSON in a folder of useMultiFileAuthState, by the names that Baileys gave its keys. */
export function readAuthFolder(folder: string): { creds: string; keys: Record<string, string> } {
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
  const files = readdirSync(folder).filter((file) => file !== 'creds.json')
  return {
    creds: read('creds.json'),
    keys: Object.fromEntries(files.map((file) => [nameOfFile(file), read(file)])),
  }
}
