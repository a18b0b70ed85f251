import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../support/databases.ts'
import { ADMIN } from '../support/gateway.ts'
import { type GatewayProcess, startProcess } from '../support/process.ts'
import { whole } from '../support/run/whole.ts'
import { makeClients } from './generate.ts'
import { type Language, needLanguage, PHP, PYTHON } from './languages.ts'
import { readScript, runScript } from './run.ts'

const SCRIPT = 'test/clients/script.json'
const steps = readScript(SCRIPT)
const names = steps.map(({ name }) => name)

whole.describe('the script of all clients, against `wamux sandbox`', function () {
  this.timeout(180_000)
  let gateway: GatewayProcess
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  before(async () => {
    const folder = temporaryFolder()
    const config = join(folder, 'wamux.yaml')
    writeFileSync(config, 'plugins:\n  chat-log: true\n')
    const env = { WAMUX_CONFIG: config, WAMUX_DATA_DIR: join(folder, 'data') }
    ;[gateway, receiver] = await Promise.all([
      startProcess(env, ['sandbox', '--empty']),
      startReceiver(),
      makeClients(),
    ])
  })
  beforeEach(() => receiver.clear())
  after(async () => {
    await receiver.close()
    await gateway.end('SIGTERM')
  })

  it('has thirty steps and more', () => {
    expect(names).to.have.length.greaterThan(30)
    expect(new Set(names)).to.have.length(names.length)
  })

  it('is followed by the TypeScript client', async () => {
    const done: string[] = []
    const target = { url: gateway.url, adminToken: ADMIN, receiver: receiver.url }
    for await (const name of runScript(steps, target)) done.push(name)
    expect(done).to.deep.equal(names)
  })

  const runners: [string, Language, string[]][] = [
    ['Python', PYTHON, ['test/clients/run.py']],
    ['asynchronous Python', PYTHON, ['test/clients/run.py', '--async']],
    ['PHP', PHP, ['test/clients/run.php']],
  ]
  for (const [client, language, args] of runners)
    it(`is followed by the ${client} client`, async function () {
      const command = needLanguage(this, language)
      expect(await lines(command, [...args, SCRIPT, gateway.url, ADMIN, receiver.url])).to.deep.equal(names)
    })
})

/** What a program prints; rejects with what it complains about. */
function lines(command: string, args: readonly string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const [out, complaints]: [string[], string[]] = [[], []]
    child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text))
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(out.join('').trimEnd().split('\n'))
      else reject(new Error(`${args[0]} ended with ${code} after:\n${out.join('')}${complaints.join('')}`))
    })
  })
}

/** Takes deliveries at `/hook`, and answers `/next` with the oldest one that was not answered yet. */
async function startReceiver() {
  const deliveries: object[] = []
  const waiting: ((delivery: object) => void)[] = []
  const server = createServer((request, response) => {
    if (request.url === '/next') {
      const answer = (delivery: object): void => void response.end(JSON.stringify(delivery))
      const oldest = deliveries.shift()
      if (oldest) answer(oldest)
      else waiting.push(answer)
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const delivery = { headers: request.headers, body: Buffer.concat(chunks).toString() }
      const next = waiting.shift()
      if (next) next(delivery)
      else deliveries.push(delivery)
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clear: () => void deliveries.splice(0),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
