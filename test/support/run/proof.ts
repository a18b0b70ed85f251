import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { namedBehaviours } from '../../../config/build/documents/behaviours.ts'

/**
 * Proofs of single endpoints and of ranked behaviours, counted at the end of the run: each endpoint needs an effect and a
 * refusal, each behaviour that tests name a passed one. They are collected in a file, because the tests run in several
 * processes.
 */

type Endpoint = `${'GET' | 'POST' | 'DELETE'} /${string}`
/** One, or those of which one test is the proof. */
type Endpoints = Endpoint | readonly Endpoint[]
type Body = (this: Mocha.Context) => Promise<void>
type Kind = 'shown' | 'refused' | 'behaviour'

const FILE = 'WAMUX_TEST_PROOFS'
let isGiven = false

/** A test in which the other side, a phone, a second companion or the network's state, shows the effect. */
export function shows(endpoints: Endpoints, what: string, body: Body): void {
  prove('shown', endpoints, what, body)
}

/** A test in which the network, or the gateway on its behalf, refuses and nothing has changed. */
export function refuses(endpoints: Endpoints, what: string, body: Body): void {
  prove('refused', endpoints, `refuses ${what}`, body)
}

function prove(kind: Kind, endpoints: Endpoints, what: string, body: Body): void {
  const all = [endpoints].flat()
  it(`${all.join(', ')} ${what}`, async function () {
    await body.call(this)
    for (const endpoint of all) note(kind, endpoint)
  })
}

/** A passed test proves the ranked behaviours of WhatsApp that its title names. */
export function noteBehaviours(test: Mocha.Test | undefined): void {
  if (test?.state !== 'passed') return
  for (const name of namedBehaviours(test.title)) note('behaviour', name)
}

function note(kind: Kind, proved: string): void {
  const file = process.env[FILE]
  if (file) appendFileSync(file, `${kind} ${proved}\n`)
}

/** Before the first test, in the process that starts the others. A run goes on with the file that the environment names. */
export function openProofs(): void {
  const given = process.env[FILE]
  isGiven = given !== undefined
  if (given) return appendFileSync(given, '')
  const file = join(mkdtempSync(join(tmpdir(), 'wamux-proofs-')), 'proofs')
  writeFileSync(file, '')
  process.env[FILE] = file
}

/** After the last one. */
export function closeProofs(): Record<Kind, ReadonlySet<string>> {
  const file = process.env[FILE] ?? ''
  const lines = readFileSync(file, 'utf8').split('\n')
  if (!isGiven) rmSync(dirname(file), { recursive: true, force: true })
  const of = (kind: Kind): Set<string> =>
    new Set(lines.filter((line) => line.startsWith(kind)).map((line) => line.slice(kind.length + 1)))
  return { shown: of('shown'), refused: of('refused'), behaviour: of('behaviour') }
}
