import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { installPackages } from '../../../config/build/install.ts'
import { SITE, writeSource } from './write.ts'

/** `npm run site`: writes the pages, and builds them with VitePress, which is installed on demand. */
installPackages(SITE)
process.stdout.write(`${await writeSource()} pages\n`)
const vitepress = resolve(SITE, 'node_modules/vitepress/bin/vitepress.js')
execFileSync(process.execPath, [vitepress, 'build', SITE], { stdio: 'inherit' })
