import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BehaviourRow, ROWS } from './behaviour-rows.ts'
import { table } from './schema-words.ts'

const FILE = 'plugins/sandbox/WHATSAPP.md'
const BEGIN = '<!-- behaviours: made by `npm run docs` -->\n'
const END = '<!-- /behaviours -->'
/** Cases in it show the network, not the gateway. */
const OF_NETWORK = 'test/plugins/sandbox/'
const HEADS = ['#', 'WhatsApp', 'Also', 'Baileys 7.0.0-rc14', 'Switch', 'Cases']

/** The list of behaviours, with the ranked ones as the tests show them. */
export async function behaviours(): Promise<string> {
  const text = readFileSync(FILE, 'utf8')
  const [before = '', rest = ''] = text.split(BEGIN)
  const [, after = ''] = rest.split(END)
  const cases = behaviourCases()
  const names = new Set(Object.keys(ROWS).map(nameOf))
  const unknown = [...cases.keys()].filter((name) => !names.has(name))
  if (unknown.length > 0)
    throw new Error(`config/build/documents/behaviour-rows.ts has no row for ${unknown.join(', ')}`)
  const rows = Object.entries(ROWS).map(([row, one]) => cellsOf(row, one, cases.get(nameOf(row)) ?? []))
  return `${before}${BEGIN}${table(HEADS, rows)}\n${END}${after}`
}

function cellsOf(number: string, row: BehaviourRow, cases: readonly string[]): string[] {
  const { does, who, stock, stockCase, switches = [], missing } = row
  if (!missing && !cases.some((file) => !file.startsWith(OF_NETWORK)))
    throw new Error(`row ${number} has no case of the gateway, and does not say why`)
  if (stockCase && !existsSync(stockCase)) throw new Error(`row ${number}: there is no ${stockCase}`)
  return [
    number,
    does,
    who,
    stockCase ? `${stock} (${stockCase})` : stock,
    switches.map((name) => (name.includes('`') ? name : `\`${name}\``)).join(', '),
    [missing ? `${cases.length > 0 ? 'in part' : '–'}: ${missing}` : '', ...cases.map(placeOf)]
      .filter(Boolean)
      .join(', '),
  ]
}

const nameOf = (row: string): string => `whatsapp/${row.padStart(2, '0')}`

/** Below test/plugins, without the end of the name. */
function placeOf(file: string): string {
  return file.replace('test/plugins/', '').replace('.test.ts', '')
}

/** The ranked behaviours (rows.ts) that a text names: `whatsapp/07`. */
export function namedBehaviours(text: string): string[] {
  return text.match(/\bwhatsapp\/\d\d\b/g) ?? []
}

/** The files with tests whose titles name a ranked behaviour, by its name. */
export function behaviourCases(): ReadonlyMap<string, readonly string[]> {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .map((name) => join('test', name))
    .sort()
  const cases = new Map<string, Set<string>>()
  for (const file of files)
    for (const name of namedBehaviours(readFileSync(file, 'utf8')))
      cases.set(name, (cases.get(name) ?? new Set()).add(file))
  return new Map([...cases].map(([name, found]) => [name, [...found]]))
}
