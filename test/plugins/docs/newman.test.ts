import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { table } from '../../../config/build/documents/endpoints.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type GatewayProcess, startProcess } from '../../support/process.ts'
import { needTools, toolScript } from '../../support/run/tools.ts'
import { whole } from '../../support/run/whole.ts'

/** Requests that no collection can make, and why; the others are all run. */
const EXCEPTIONS: readonly [requests: RegExp, why: string][] = [
  [/^GET \/events\/(global\/)?socket$/, 'it opens a WebSocket'],
  [/ \/link\/:token/, 'the token is in the address that a person gets'],
  [/ \/(dashboard\/(login|assets)|link-page\/:file)/, 'only pages of the gateway call it'],
  [/^GET \/media\/:seq$/, 'the link of an event is signed'],
  [/^POST \/session\/passkey|\/passkey\/(credential|compare)$/, 'no passkey is asked for'],
  [/^POST \/sandbox\/phones\/:phone\/pair$/, 'the new session is linked by the scan'],
  [/^POST \/call\/reject$/, 'nobody calls'],
  [/ \/server\/jobs\/:queue/, 'no plugin here has a queue'],
  [/^GET \/plugins\/:plugin\/:file$/, 'no plugin here has a page'],
]

/** What they change is changed once. */
const ONCE = /^POST \/(newsletter\/(admin\/(accept|demote)|transfer)|group\/acceptinvite)$/

interface Execution {
  item: { name: string; request: { method: string; url: { path: string[] } } }
  response?: { code: number; stream: { data: number[] } }
  requestError?: { code: string }
}

whole.describe('the Postman collection on `wamux sandbox`', function () {
  this.timeout(180_000)
  const data = temporaryFolder()
  const environment = join(data, 'sandbox', 'postman-environment.json')
  let gateway: GatewayProcess
  let executions: Execution[]

  before(async function () {
    needTools(this)
    gateway = await startProcess({ WAMUX_DATA_DIR: data }, 'sandbox')
    await eventually(
      () => gateway.lines.some((line) => line.includes(environment)),
      'the printed environment',
    )
    executions = await runNewman(gateway.url, environment)
  })
  after(() => gateway?.end('SIGTERM'))

  const endpoints = table.map(({ method, path }) => `${method} ${path}`)
  const failed = (among: readonly Execution[]): string[] =>
    among
      .filter(({ item }) => !EXCEPTIONS.some(([requests]) => requests.test(nameOf(item.request))))
      .flatMap(faultOf)

  it('runs all 118 endpoints as they stand, each answered with 2xx', () => {
    const run = executions.filter(({ item }) => endpoints.includes(nameOf(item.request)))
    expect(run.map(({ item }) => nameOf(item.request))).to.have.members(endpoints)
    expect(run.flatMap(faultOf)).to.deep.equal([])
  })

  it('runs every other request too, but for the exceptions', () => {
    expect(executions.length).to.be.greaterThan(200)
    expect(failed(executions)).to.deep.equal([])
    for (const [requests, why] of EXCEPTIONS) {
      const meant = executions.filter(({ item }) => requests.test(nameOf(item.request)))
      expect(meant.flatMap(faultOf), why).to.not.have.length(0)
    }
  })

  it('can be run again', async () => {
    const again = await runNewman(gateway.url, environment)
    expect(again.length).to.equal(executions.length)
    expect(failed(again.filter(({ item }) => !ONCE.test(nameOf(item.request))))).to.deep.equal([])
  })

  it('keeps the tokens in files of the owner only', () => {
    for (const file of [environment, join(data, 'sandbox', 'demo-token')])
      expect(statSync(file).mode & 0o077, file).to.equal(0)
    expect(readFileSync(environment, 'utf8')).to.include(
      readFileSync(join(data, 'sandbox', 'demo-token'), 'utf8').trim(),
    )
  })
})

function nameOf({ method, url }: { method: string; url: { path: string[] } }): string {
  return `${method} /${url.path.join('/')}`
}

function faultOf({ item, response, requestError }: Execution): string[] {
  if (response && response.code >= 200 && response.code < 300) return []
  const text = response ? Buffer.from(response.stream.data).toString().slice(0, 200) : requestError?.code
  return [`${nameOf(item.request)}: ${response?.code ?? ''} ${text}`]
}

/** Runs the collection from top to bottom, as `newman run` does in a terminal. */
async function runNewman(url: string, environment: string): Promise<Execution[]> {
  const script = toolScript('newman', 'newman')
  const report = join(temporaryFolder(), 'report.json')
  const args = [
    ...['run', `${url}/docs/postman.json`, '--environment', environment],
    ...['--reporters', 'json', '--reporter-json-export', report],
  ]
  // Its exit code says whether an assertion failed; the report says which. Only a run that hangs reaches the limit.
  const options = { timeout: 60_000 }
  await promisify(execFile)(process.execPath, [script, ...args], options).catch(() => undefined)
  const { run } = JSON.parse(readFileSync(report, 'utf8')) as { run: { executions: Execution[] } }
  return run.executions
}
