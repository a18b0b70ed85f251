import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { documents } from './blocks.ts'
import { functionsIn } from './functions.ts'

interface Step {
  number: number
  name: string
  file: string
}

interface Flow {
  title: string
  steps: Step[]
  lines: number
}

const PAGE = 'kernel/docs/journeys.md'
const SHORT = 'kernel/docs/ARCHITECTURE.md'
/** `12. ``begin`` — kernel/gateway.ts: …` */
const STEP = /^(\d+)\. `(\w+)` — (\S+): \S/
/** Lines that a journey may have with its title and its text. */
const SCREEN = 48

const page = documents.find(({ file }) => file === PAGE)
const flowsIn = (path: string): Flow[] =>
  (documents.find(({ file }) => file === path)?.text ?? '').split(/^## /m).slice(1).map(toFlow)
const flows = flowsIn(PAGE)
const flowOf = (title: string): Flow => {
  const found = flows.find((flow) => flow.title === title)
  if (!found) throw new Error(`${PAGE} has no part "${title}"`)
  return found
}

describe('the journeys', () => {
  it('names functions that the named files declare', () => {
    const steps = [...flows, ...flowsIn(SHORT)].flatMap((flow) => flow.steps)
    expect(steps.length).to.be.greaterThan(60)
    expect(steps.flatMap(faultOf)).to.deep.equal([])
  })

  it('detects a function or a file that does not exist', () => {
    const step = {
      number: 1,
      name: 'holdFramesUntilCommit',
      file: 'plugins/baileys/socket/commit-barrier.ts',
    }
    expect(faultOf(step)).to.deep.equal([])
    expect(faultOf({ ...step, name: 'holdFrames' })).to.deep.equal([
      '1: plugins/baileys/socket/commit-barrier.ts declares no function holdFrames',
    ])
    // Imported there, and the method of an interface.
    expect(faultOf({ ...step, name: 'failpoint' })).to.have.length(1)
    expect(faultOf({ number: 2, name: 'transact', file: 'kernel/types/storage.ts' })).to.have.length(1)
    expect(faultOf({ ...step, file: 'plugins/baileys/socket/nothing.ts' })).to.have.length(1)
  })

  it('numbers the steps of each flow without a gap', () => {
    for (const { title, steps } of flows)
      expect(
        steps.map(({ number }) => number),
        title,
      ).to.deep.equal(steps.map((_, at) => at + 1))
    const numbered = (page?.text ?? '').match(/^\d+\. /gm) ?? []
    expect(flows.flatMap(({ steps }) => steps)).to.have.length(numbered.length)
  })

  for (const title of ['How a message is sent', 'How a message is received'])
    it(`shows "${title}" on one screen, by exported functions`, () => {
      const { steps, lines } = flowOf(title)
      expect(steps.length).to.be.within(20, SCREEN)
      expect(lines).to.be.at.most(SCREEN)
      expect(steps.filter(({ name, file }) => !exportsOf(file).has(name))).to.deep.equal([])
    })

  it('detects a function that is not exported', () => {
    const exported = exportsOf('plugins/baileys/signal/signal-repository.ts')
    expect([...exported])
      .to.include('signalRepositoryOf')
      .and.not.include('hashOf')
  })

  it('sends without a step in receive/', () => {
    const { steps } = flowOf('How a message is sent')
    expect(steps.filter(({ file }) => file.includes('/receive/'))).to.deep.equal([])
  })

  it('stops the parts in the order of kernel/gateway.ts', () => {
    const [, list = ''] =
      /const stops[^=]*= \[\n([\s\S]*?)\n {2}\]/.exec(readFileSync('kernel/gateway.ts', 'utf8')) ?? []
    const stopped = [...list.matchAll(/^ {4}\['([^']+)'/gm)].map(([, name]) => name)
    const [, table = ''] = (page?.text ?? '').split('\n## Stop\n')
    const listed = [...table.matchAll(/^\| ([\w ]+) \|/gm)].map(([, name]) => name).slice(1)
    expect(stopped.length).to.be.greaterThan(4)
    expect(listed.slice(0, stopped.length)).to.deep.equal(stopped)
  })

  it('has a short form on one screen, in journeys of at most ten steps, that names existing files', () => {
    const text = readFileSync(SHORT, 'utf8')
    expect(text.split('\n').length).to.be.at.most(85)
    for (const { title, steps } of flowsIn(SHORT)) expect(steps.length, title).to.be.at.most(10)
    const [, places = ''] = text.split('\n## Where is …\n')
    const names = [...places.matchAll(/\b(?:kernel|plugins|config|test|migrations)\/[\w/.-]*\w/g)].map(
      ([name]) => name,
    )
    expect(names.length).to.be.greaterThan(8)
    for (const name of names) expect(existsSync(name), name).to.equal(true)
  })
})

function toFlow(text: string): Flow {
  const lines = text.split('\n')
  const steps = lines.flatMap((line) => {
    const [, number, name, file] = STEP.exec(line) ?? []
    return name && file ? [{ number: Number(number), name, file }] : []
  })
  return { title: lines[0] ?? '', steps, lines: lines.length }
}

function faultOf({ number, name, file }: Step): string[] {
  return functionsIn(file).has(name) ? [] : [`${number}: ${file} declares no function ${name}`]
}

/** Names of the functions and classes that a file exports. */
function exportsOf(file: string): ReadonlySet<string> {
  const exports = readFileSync(file, 'utf8').matchAll(/^export (?:async )?(?:function|class|const) (\w+)/gm)
  return new Set([...exports].map(([, name = '']) => name))
}
