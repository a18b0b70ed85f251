import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { BUILTIN } from '../../../config/builtin.ts'
import { describeGateway } from '../../../config/cli/describe-plugins.ts'
import { loadConfig } from '../../../config/load.ts'
import { openApi } from '../../../plugins/docs/openapi.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { needTools, toolScript } from '../../support/run/tools.ts'

/** Neither asks for a newer version of itself, nor reports that it was run. */
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

describe('the OpenAPI document of all built-in plugins', () => {
  const folder = temporaryFolder()
  const document = join(folder, 'openapi.json')

  before(async function () {
    this.timeout(300_000)
    needTools(this)
    const all = Object.fromEntries(Object.keys(BUILTIN).map((name) => [name, true]))
    const description = describeGateway(await loadConfig({}, all))
    writeFileSync(document, JSON.stringify(openApi(description)))
  })

  it('has no error by the rules of Redocly', async () => {
    const { stdout } = await run('@redocly/cli', 'redocly', ['lint', document, '--format=json'])
    const { totals, problems } = JSON.parse(stdout) as {
      totals: { errors: number }
      problems: { ruleId: string; severity: string; location: { pointer?: string }[] }[]
    }
    const errors = problems.filter(({ severity }) => severity === 'error')
    const shown = errors.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer ?? ''}`)
    expect(shown).to.deep.equal([])
    expect(totals.errors).to.equal(0)
  })

  it('has no error by the rules of Spectral', async () => {
    const rules = join(folder, 'spectral.json')
    writeFileSync(rules, JSON.stringify({ extends: ['spectral:oas'] }))
    const args = ['lint', document, '--ruleset', rules, '--format', 'json', '--fail-severity', 'error']
    const { stdout } = await run('@stoplight/spectral-cli', 'spectral', args)
    const problems = JSON.parse(stdout) as { code: string; severity: number; path: string[] }[]
    const errors = problems.filter(({ severity }) => severity === 0)
    expect(errors.map(({ code, path }) => `${code} ${path.join('/')}`)).to.deep.equal([])
  })
})

/** Runs the command of a package as a terminal would; the answer is its output, whatever its exit code. */
async function run(name: string, command: string, args: readonly string[]): Promise<{ stdout: string }> {
  const script = toolScript(name, command)
  const options = { env: { ...process.env, ...QUIET }, maxBuffer: 64 * 1024 * 1024 }
  return promisify(execFile)(process.execPath, [script, ...args], options).catch(
    (failed: { stdout: string }) => failed,
  )
}
