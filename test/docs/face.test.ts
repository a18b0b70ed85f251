import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect } from 'chai'
import { satisfies } from 'semver'
import { parse } from 'yaml'
import { documents } from './blocks.ts'

const DECISIONS = 'kernel/docs/decisions'
const hidden = readdirSync('.github', { recursive: true, encoding: 'utf8' }).map((name) =>
  join('.github', name),
)
const textOf = (file: string): string => readFileSync(file, 'utf8')

describe('the links of the documents', () => {
  const files = [...documents.map(({ file }) => file), ...hidden.filter((file) => file.endsWith('.md'))]

  it('lead to existing files and headings', () => {
    const broken = files.flatMap((file) =>
      linksIn(textOf(file))
        .filter((link) => !leadsSomewhere(file, link))
        .map((link) => `${file}: ${link}`),
    )
    expect(broken).to.deep.equal([])
  })

  it('are found, and a broken one is detected', () => {
    expect(files.flatMap((file) => linksIn(textOf(file))).length).to.be.greaterThan(60)
    const [first, ...more] = linksIn(
      '[a](b.md#c-d) `[e](f)` <https://g> [h](https://i)\n```text\n[j](k)\n```\n',
    )
    expect([first, more]).to.deep.equal(['b.md#c-d', []])
    for (const link of ['nothing.md', 'SECURITY.md#nothing', '#nothing'])
      expect(leadsSomewhere('README.md', link), link).to.equal(false)
    for (const link of ['kernel/docs', 'SECURITY.md#in-scope', 'kernel/docs/security.md'])
      expect(leadsSomewhere('README.md', link), link).to.equal(true)
  })
})

describe('the records of decisions', () => {
  const records = readdirSync(DECISIONS)
    .filter((name) => name !== 'README.md')
    .map((name) => ({ name, text: textOf(join(DECISIONS, name)) }))

  it('have a number of their own, a date, a status and three parts, in fewer than 40 lines', () => {
    for (const [at, { name, text }] of records.entries()) {
      const { number, date, status } = headOf(text)
      expect(number, name).to.equal(at + 1)
      expect(name).to.match(new RegExp(`^${String(number).padStart(3, '0')}-[a-z0-9-]+\\.md$`))
      expect(new Date(date).toJSON()?.slice(0, 10), name).to.equal(date)
      expect(status, name).to.match(/^(accepted|superseded by \[\d+\]\(\d{3}-[a-z0-9-]+\.md\))$/)
      const parts = [...text.matchAll(/^\*\*(\w+)\.\*\* /gm)].map(([, part]) => part)
      expect(parts, name).to.deep.equal(['Context', 'Decision', 'Consequences'])
      expect(text.split('\n').length, name).to.be.lessThan(41)
    }
  })

  it('are all listed in the index, with date and status', () => {
    const [, rows = ''] = /^\|---.*\n((?:\|.*\n)+)/m.exec(textOf(join(DECISIONS, 'README.md'))) ?? []
    const wanted = records.map(({ name, text }) => {
      const { number, title, date, status } = headOf(text)
      return `| ${number} | [${title}](${name}) | ${date} | ${status} |`
    })
    expect(rows.trim().split('\n')).to.deep.equal(wanted)
  })
})

describe('the glossary of CONTRIBUTING.md', () => {
  const [, section = ''] = textOf('CONTRIBUTING.md').split('\n## Glossary\n')
  const entries = [...section.matchAll(/^\| (.+?) \| (.+) \|$/gm)]
    .map(([, term = '', meaning = '']) => ({ term, meaning }))
    .slice(1)
  const terms = entries.map(({ term }) => term)

  it('has 30 terms or more, each once, in alphabetical order', () => {
    expect(terms.length).to.be.at.least(30)
    const sorted = [...new Set(terms)].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    expect(terms).to.deep.equal(sorted)
  })

  it('gives each one sentence', () => {
    for (const { term, meaning } of entries) expect(meaning, term).to.match(/^[A-Z(][^.]*\.$/)
  })
})

describe('what GitHub reads', () => {
  it('is YAML, and the workflow runs .ci/run on the Node that package.json asks for', () => {
    const files = hidden.filter((file) => file.endsWith('.yml'))
    for (const file of files) expect(parse(textOf(file)), file).to.be.an('object')
    const workflow = parse(textOf('.github/workflows/ci.yml'))
    const steps: { run?: string; with?: Record<string, string> }[] = workflow.jobs.ci.steps
    expect(Object.keys(workflow.on)).to.include.members(['push', 'pull_request'])
    expect(steps.at(-1)?.run).to.match(/ \.ci\/run$/)
    accessSync('.ci/run', constants.X_OK)
    expect(steps.flatMap((step) => step.with?.['node-version-file'] ?? [])).to.deep.equal(['.nvmrc'])
    const { engines } = JSON.parse(textOf('package.json')) as { engines: { node: string } }
    expect(satisfies(`${textOf('.nvmrc').trim()}.999.0`, engines.node)).to.equal(true)
  })
})

/** Targets within the repository, outside of code. */
function linksIn(text: string): string[] {
  const prose = text.replace(/^(`{3,})[\s\S]*?^\1/gm, '').replace(/`[^`]*`/g, '`')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
}

function leadsSomewhere(file: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path ? join(dirname(file), path) : file
  if (!existsSync(target)) return false
  return anchor === undefined || headingsOf(target).includes(anchor)
}

/** As GitHub makes anchors of headings. */
function headingsOf(file: string): string[] {
  if (!/\.md$/.test(basename(file))) return []
  return [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function headOf(text: string): { number: number; title: string; date: string; status: string } {
  const [, number, title = '', date = '', status = ''] =
    /^# (\d+)\. (.+)\n\nDate: (\S+)\. Status: (.+?)\.(?:[ \n])/.exec(text) ?? []
  return { number: Number(number), title, date, status }
}
