import { writeFileSync } from 'node:fs'
import { DOCUMENTS, PACKAGED } from './documents.ts'

const [only] = process.argv.slice(2)

/** `npm run docs` writes all that is made from the code; `npm run generate`, before types are checked, what is not in git. */
for (const [path, make] of Object.entries(only === 'packaged' ? PACKAGED : { ...DOCUMENTS, ...PACKAGED })) {
  writeFileSync(path, await make())
  process.stdout.write(`${path}\n`)
}
