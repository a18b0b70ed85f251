import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { sourcesIn } from '../config/build/sources.ts'

const CODE = ['kernel', 'plugins', 'config', 'migrations']
const files = CODE.flatMap(sourcesIn)
const textOf = (file: string): string => readFileSync(file, 'utf8')
const offenders = (rule: (file: string, text: string) => boolean): string[] =>
  files.filter((file) => rule(file, textOf(file)))

/** The second one is a process that sets a variable for its own programs, the third shows a program of the client's. */
const READS_ENVIRONMENT = [
  'config/cli/main.ts',
  'plugins/media/worker/main.ts',
  'plugins/dashboard/web/screens/composer/snippets.ts',
  'plugins/docs/site/requests.ts',
]

describe('architecture', () => {
  it('imports run one way, and the check saw the modules', () => {
    const args = ['depcruise', ...CODE, '--config', '.dependency-cruiser.cjs', '--output-type', 'json']
    const report = JSON.parse(execFileSync('npx', args, { encoding: 'utf8', maxBuffer: 64e6 })) as {
      summary: { totalCruised: number; violations: { rule: { name: string }; from: string; to: string }[] }
      modules: { source: string; dependencies: { resolved: string }[] }[]
    }
    expect(
      report.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`),
    ).to.deep.equal([])
    expect(report.summary.totalCruised).to.be.greaterThan(files.length)
    // A check that can't follow the self-reference would see no forbidden edge either.
    const sdk = report.modules.filter(({ dependencies }) =>
      dependencies.some(({ resolved }) => resolved === 'kernel/plugin.ts'),
    )
    expect(sdk.length).to.be.greaterThan(5)
  })

  it('lets nothing that ships or builds import tests', () => {
    expect(offenders((_, text) => /from '(?:\.\.\/)+test\//.test(text))).to.deep.equal([])
  })

  it('reads the environment in one place', () => {
    expect(
      offenders((file, text) => text.includes('process.env') && !READS_ENVIRONMENT.includes(file)),
    ).to.deep.equal([])
  })

  it('has no console, no catch-all modules', () => {
    const calls = /\bconsole\.(log|info|warn|error|debug)\(/
    expect(offenders((_, text) => calls.test(text))).to.deep.equal([])
    expect(offenders((file) => /(utils?|helpers?|common)\.tsx?$/.test(file))).to.deep.equal([])
  })

  it('gives every plugin an index, a README and tests', () => {
    for (const plugin of readdirSync('plugins').filter((name) => name !== 'README.md')) {
      expect(readdirSync(join('plugins', plugin)), plugin).to.include.members(['index.ts', 'README.md'])
      expect(readdirSync(join('test', 'plugins')), plugin).to.include(plugin)
    }
  })

  it('pins Baileys exactly', () => {
    const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: Record<string, string> }
    expect(dependencies['@whiskeysockets/baileys']).to.equal('7.0.0-rc14')
  })
})
