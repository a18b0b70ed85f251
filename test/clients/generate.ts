import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { CLIENTS } from '../../config/build/documents/documents.ts'

/** Writes the generated parts of the clients, which are not in git. Other tests may read them meanwhile: a file is replaced at once. */
export async function makeClients(): Promise<void> {
  for (const [path, make] of Object.entries(CLIENTS)) {
    const text = await make()
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
    const fresh = `${path}.${process.pid}`
    writeFileSync(fresh, text)
    renameSync(fresh, path)
  }
}
