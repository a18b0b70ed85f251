import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

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
