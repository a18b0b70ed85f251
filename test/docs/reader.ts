import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { temporaryFolder } from '../support/databases.ts'

/** What a reader has installed beside wamux. */
const INSTALLED = ['chai', '@types/chai', 'standardwebhooks', '@wamux']

/** A reader's own folder, where blocks are written to files that import wamux as a package. */
export function readersFolder(): { folder: string; write(name: string, text: string): string } {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true })
  symlinkSync(resolve('.'), join(folder, 'node_modules', 'wamux'))
  for (const name of INSTALLED) symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name))
  const write = (name: string, text: string): string => {
    const path = join(folder, name)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, text)
    return path
  }
  write('package.json', JSON.stringify({ name: 'reader', type: 'module' }))
  return { folder, write }
}
