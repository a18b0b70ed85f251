import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'

/** How long each file took, with its imports and its hooks: collected in a file, because several processes run them. */
const FILE = 'WAMUX_TEST_DURATIONS'
const SHOWN = 10

// Not `Date`: a test sets it forward.
let began = performance.now()

/** After each file, in the process that ran it. */
export function noteDuration(suites: readonly { file?: string | undefined }[]): void {
  const list = process.env[FILE]
  const { file } = suites.find((suite) => suite.file) ?? {}
  if (list && file) appendFileSync(list, `${Math.round(performance.now() - began)} ${relative('.', file)}\n`)
  began = performance.now()
}

/** Before the first test, in the process that starts the others. */
export function openDurations(): void {
  process.env[FILE] = join(mkdtempSync(join(tmpdir(), 'wamux-durations-')), 'durations')
  appendFileSync(process.env[FILE], '')
}

/** After the last one: the files that took longest, in words. They begin first (.mocharc.cjs). */
export function closeDurations(): string {
  const list = process.env[FILE] ?? ''
  const lines = readFileSync(list, 'utf8').trim().split('\n')
  rmSync(dirname(list), { recursive: true, force: true })
  const rows = lines.map((line) => line.split(' ')).sort(([a], [b]) => Number(b) - Number(a))
  return rows
    .slice(0, SHOWN)
    .map(([ms, file]) => `  ${(Number(ms) / 1000).toFixed(1).padStart(6)} s  ${file}\n`)
    .join('')
}
