import { writeFileSync } from 'node:fs'
import { declarations, SNAPSHOT } from './api.ts'
import { REFERENCE, reference } from './reference.ts'

writeFileSync(SNAPSHOT, declarations())
writeFileSync(REFERENCE, await reference())
process.stdout.write(`wrote ${SNAPSHOT} and ${REFERENCE}\n`)
