/** A build step: writes the plugin list, because the folders of a release have no cards. */
import { writeFileSync } from 'node:fs'
import { readCards } from '../cards.ts'

const list = new URL('../../plugins/builtin.json', import.meta.url)
writeFileSync(list, `${JSON.stringify(readCards('plugins', 'index.ts'), null, 2)}\n`)
