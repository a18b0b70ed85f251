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
  diagram: string | undefined
}

const PAGE = 'kernel/docs/ARCHITECTURE.md'
/** `12. ``begin`` — kernel/gateway.ts: …` */
const STEP = /^(\d+)\. `(\w+)` — (\S+): \S/
const DIAGRAM_LINE =
  /^ {2}(?:participant \w+(?: as [\w/ .,-]+)?|(\w+)(?:->>|-->>)(\w+): [\w/ .,():-]+|Note over [\w,]+: .+)$/

const page = documents.find(({ file }) => file === PAGE)
const flows = (page?.text ?? '').split(/^## /m).slice(1).map(toFlow)
const flowOf = (title: string): Flow => {
  const found = flows.find((flow) => flow.title === title)
  if (!found) throw new Error(`${PAGE} has no part "${title}"`)
  return found
}

describe('the architecture page', () => {
  it('names functions that the named files declare', () => {
    const steps = flows.flatMap((flow) => flow.steps)
    expect(steps.length).to.be.greaterThan(100)
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
    it(`draws "${title}" with functions of its list alone, in their order`, () => {
      const { steps, diagram = '' } = flowOf(title)
      expect(functionsOf(diagram).length).to.be.greaterThan(10)
      expect(strangers(diagram, steps)).to.deep.equal([])
    })

  it('detects a function that the list does not have, or has earlier', () => {
    const steps = [...'abc'].map((name, at) => ({ number: at + 1, name, file: 'kernel/gateway.ts' }))
    expect(strangers('  A->>B: a(), b() of c\n  B-->>A: c()', steps)).to.deep.equal([])
    expect(strangers('  A->>B: a(), d()', steps)).to.deep.equal(['d'])
    expect(strangers('  A->>B: b(), a()', steps)).to.deep.equal(['a'])
    expect(strangers('  A->>B: a() by someFunction', steps)).to.deep.equal(['someFunction'])
  })

  it('has diagrams that Mermaid can read', () => {
    const diagrams = flows.flatMap(({ diagram }) => diagram ?? [])
    expect(diagrams).to.have.length(2)
    for (const diagram of diagrams) {
      const [head, ...lines] = diagram.trimEnd().split('\n')
      expect(head).to.equal('sequenceDiagram')
      const participants = [...diagram.matchAll(/^ {2}participant (\w+)/gm)].map(([, name]) => name)
      for (const line of lines) {
        expect(line).to.match(DIAGRAM_LINE)
        const [, from, to] = DIAGRAM_LINE.exec(line) ?? []
        for (const side of [from, to]) if (side) expect(participants, line).to.include(side)
      }
    }
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

  it('lists existing folders and files', () => {
    const [, table = ''] = (page?.text ?? '').split('\n## The folders\n')
    const names = [...table.matchAll(/^\| ([\w/.-]+) \| /gm)].map(([, name = '']) => name).slice(1)
    expect(names.length).to.be.greaterThan(10)
    for (const name of names.filter((one) => one.includes('/'))) expect(existsSync(name), name).to.equal(true)
  })
})

function toFlow(text: string): Flow {
  const lines = text.split('\n')
  const steps = lines.flatMap((line) => {
    const [, number, name, file] = STEP.exec(line) ?? []
    return name && file ? [{ number: Number(number), name, file }] : []
  })
  const [, diagram] = /^```mermaid\n([\s\S]*?)^```/m.exec(text) ?? []
  return { title: lines[0] ?? '', steps, diagram }
}

function faultOf({ number, name, file }: Step): string[] {
  return functionsIn(file).has(name) ? [] : [`${number}: ${file} declares no function ${name}`]
}

/** What a diagram calls, and what else in its arrows is written like a name of code. */
function functionsOf(diagram: string): string[] {
  const labels = [...diagram.matchAll(/^ {2}\w+-+>>\w+: (.+)$/gm)].map(([, label = '']) => label)
  return labels.flatMap((label) => [...label.matchAll(/\w+(?=\()|\b[a-z]+[A-Z]\w*/g)].map(([name]) => name))
}

/** Functions of a diagram that the steps do not have, or not after those that it names before. */
function strangers(diagram: string, steps: readonly Step[]): string[] {
  let from = 0
  return functionsOf(diagram).filter((name) => {
    const found = steps.findIndex((step, at) => at >= from && step.name === name)
    if (found >= 0) from = found + 1
    return found < 0
  })
}
