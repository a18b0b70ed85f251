import { readFileSync } from 'node:fs'

/** A foreign client. `name` is its package in test/conformance/package.json. */
export interface ForeignClient {
  readonly name: string
  readonly title: string
  readonly resumes: boolean
}

const { dependencies } = JSON.parse(readFileSync('test/conformance/package.json', 'utf8')) as {
  dependencies: Record<string, string>
}
const versionOf = (name: string): string => dependencies[name]?.split('@').at(-1) ?? ''

export const CLIENTS: readonly ForeignClient[] = [
  { name: 'zapo-js', title: `zapo-js ${versionOf('zapo-js')}`, resumes: true },
  { name: 'baileys-6', title: `Baileys ${versionOf('baileys-6')}`, resumes: false },
  { name: 'baileys-7', title: `Baileys ${versionOf('baileys-7')}`, resumes: false },
]
