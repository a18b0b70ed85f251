import { writeFileSync } from 'node:fs'
import { DOCUMENTS } from './documents.ts'

/** `npm run docs`: writes the documents that are made from the code. */
for (const [path, make] of Object.entries(DOCUMENTS)) {
  writeFileSync(path, await make())
  process.stdout.write(`${path}\n`)
}
