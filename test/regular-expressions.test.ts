import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { check } from 'recheck'
import ts from 'typescript'
import { sourcesIn } from '../config/build/sources.ts'
import { isWhole } from './support/run/whole.ts'

interface Expression {
  /** `plugins/send/vcard.ts:48` */
  readonly place: string
  readonly source: string
  readonly flags: string
}

/** Those that may take time that grows faster than their text, by file or folder, with what the text is. */
const ALLOWED: Readonly<Record<string, string>> = {
  'config/build/': 'sources and documents of wamux, when a release is built',
  'plugins/docs/clients/': 'names of routes and fields, when a release is built',
  'plugins/docs/site/': 'documents of wamux, when the site is built',
  'config/effective.ts': 'settings of the operator',
  'config/cli/import/key-names.ts': 'names of files of an account that is imported, at most 255 bytes',
  'plugins/dashboard/web/parts/json-view.tsx': 'what JSON.stringify wrote, whose quotes are closed',
}

/** The plain run leaves out the few with lookarounds, which are decided by trying texts. */
const SETTINGS = isWhole ? { timeout: 30_000 } : { timeout: 10_000, checker: 'automaton' as const }

describe('regular expressions', () => {
  const expressions = ['kernel', 'config', 'plugins', 'migrations'].flatMap(sourcesIn).flatMap(expressionsOf)

  it('are found in the sources, those of schemas too', () => {
    expect(expressions.length).to.be.above(300)
    expect(expressions.map(({ source }) => source)).to.include('^\\d{1,15}$')
  })

  it('take time that grows with the length of their text, and not with its square', async () => {
    const others = expressions.filter((expression) => mayBeSlow(expression) && !isAllowed(expression))
    const slow = await Promise.all(others.map(verdictOn))
    const stray = slow.filter(({ fault }) => fault !== undefined)
    expect(stray.map(({ place, fault }) => `${place}: ${fault}`)).to.deep.equal([])
  })

  it('would be found if one were quadratic', async () => {
    const [source, flags] = ['[/?#].*$', '']
    expect((await verdictOn({ place: 'here:1', source, flags })).fault).to.include('2nd degree polynomial')
  })
})

function expressionsOf(file: string): Expression[] {
  const text = readFileSync(file, 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: Expression[] = []
  const add = (node: ts.Node, expression: string, flags: string): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart())
    found.push({ place: `${file}:${line + 1}`, source: expression, flags })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      add(node, node.text.slice(1, end), node.text.slice(end + 1))
    } else if (isPattern(node)) add(node, node.initializer.text, 'u')
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** The rule of a schema. */
function isPattern(node: ts.Node): node is ts.PropertyAssignment & { initializer: ts.StringLiteralLike } {
  return (
    ts.isPropertyAssignment(node) &&
    node.name.getText() === 'pattern' &&
    ts.isStringLiteralLike(node.initializer)
  )
}

/** Without an open repetition the time is that of the expression. */
function mayBeSlow({ source }: Expression): boolean {
  return /[*+]|\{\d+,\}/.test(source)
}

async function verdictOn({ place, source, flags }: Expression): Promise<{ place: string; fault?: string }> {
  const verdict = await check(source, flags, SETTINGS)
  if (verdict.status !== 'vulnerable') return { place }
  const { attack, complexity, checker } = verdict
  if (checker === 'fuzz' && !isSlow(new RegExp(source, flags), attack.string)) return { place }
  return { place, fault: `/${source}/ is ${complexity.summary}, as for ${attack.pattern}` }
}

/** The steps that a text takes are counted as V8 does not take them all. */
function isSlow(expression: RegExp, text: string): boolean {
  const times = [1, 2, 3].map(() => {
    const before = performance.now()
    expression.exec(text)
    return performance.now() - before
  })
  return Math.min(...times) > 50
}

function isAllowed({ place }: Expression): boolean {
  return Object.keys(ALLOWED).some((start) => place.startsWith(start))
}
