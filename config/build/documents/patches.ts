import { readFileSync } from 'node:fs'
import { PATCHES } from '../../../plugins/baileys/baileys.ts'
import { SOCKET_PATCHES } from '../../../plugins/baileys/socket/patches.ts'

const FILE = 'plugins/baileys/README.md'
const BEGIN = '<!-- patches: made by `npm run docs` -->\n'
const END = '<!-- /patches -->'

/** The README of the driver, with the table of its patches as the code has them. */
export async function patches(): Promise<string> {
  const text = readFileSync(FILE, 'utf8')
  const [before = '', rest = ''] = text.split(BEGIN)
  const [, after = ''] = rest.split(END)
  const rows = [...PATCHES, ...SOCKET_PATCHES].map(
    ({ name, seam, effect, issue }) =>
      `| ${name} | ${[seam, issue].filter(Boolean).join('; ')} | ${effect} |\n`,
  )
  const table = `| patch | seam | with it |\n|---|---|---|\n${rows.join('')}`
  return `${before}${BEGIN}${table}${END}${after}`
}
