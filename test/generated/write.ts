import { writeFileSync } from 'node:fs'
import { DOCUMENTS } from './documents.ts'

const [only] = process.argv.slice(2)

/** `npm run docs`: writes the documents that are made from the code; `npm run client` the types of the client only. */
for (const [path, make] of Object.entries(DOCUMENTS)) {
  if (only && only !== path) continue
  writeFileSync(path, await make())
  process.stdout.write(`${path}\n`)
}
