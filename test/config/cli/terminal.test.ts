import { execFile, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { mainOf } from '../../support/process.ts'
import { admin } from '../../support/sessions.ts'

const codes = [
  ...Array.from({ length: 0xa0 }, (_, code) => code).filter((code) => code < 0x20 || code >= 0x7f),
  ...[0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069],
]
/** Everything that a terminal may obey; it begins with what sets the clipboard. */
const HOSTILE = `\u001b]52;c;cm0gLXJmIC8=\u0007\u001b[2J${codes.map((code) => `x${String.fromCharCode(code)}`).join('')}`
const FORBIDDEN = new RegExp(
  `[${codes
    .filter((code) => code !== 10 && code !== 9)
    .map((code) => `\\u${code.toString(16).padStart(4, '0')}`)
    .join('')}]`,
)

const session = { Id: HOSTILE, Name: HOSTILE, JID: HOSTILE, Token: 'token' }
const event = { seq: 1, type: HOSTILE, eventId: HOSTILE, message: { text: HOSTILE, type: HOSTILE } }
const request = {
  Method: HOSTILE,
  Path: HOSTILE,
  Status: HOSTILE,
  ErrorCode: HOSTILE,
  Ms: HOSTILE,
  Id: HOSTILE,
  Actor: HOSTILE,
  At: HOSTILE,
}

/** What a gateway answers that means harm, by path. */
const ANSWERS: Record<string, unknown> = {
  '/session/all': [session],
  '/session/summary': { Sessions: [session] },
  '/session/requests': { Requests: [request] },
  '/session/connect': {},
  '/session/status': { LoggedIn: true, Jid: HOSTILE },
  '/send/text': { Details: HOSTILE, Id: HOSTILE },
  '/webhook/test': { Delivered: false, Details: HOSTILE, Milliseconds: HOSTILE, Answer: HOSTILE },
  '/webhook/preview': { Requests: [] },
  '/server/nodes': [
    {
      Name: HOSTILE,
      State: HOSTILE,
      Sessions: 1,
      Version: HOSTILE,
      Url: HOSTILE,
      Heartbeat: HOSTILE,
      Id: HOSTILE,
    },
  ],
}

describe('what a command prints', function () {
  this.timeout(240_000)
  let server: Server
  let url: string
  /** Instead of the answers above. */
  let failure: { status: number; body: string } | undefined

  before(async () => {
    server = createServer(({ url: path = '' }, response) => {
      const [name = ''] = path.split('?')
      if (failure)
        return void response
          .writeHead(failure.status, { 'content-type': 'application/json' })
          .end(failure.body)
      if (name === '/events/stream') {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        return void response.write(`id: 1\nevent: Message\ndata: ${JSON.stringify(event)}\n\n`)
      }
      const data = ANSWERS[name]
      const status = data === undefined ? 404 : 200
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ code: status, data, error: HOSTILE, success: status === 200 }))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  afterEach(() => {
    failure = undefined
  })

  const env = { PATH: process.env['PATH'] ?? '', WAMUX_ADMIN_TOKEN: admin.admintoken, LOG_LEVEL: 'silent' }
  const wamux = (args: readonly string[]): Promise<string> =>
    new Promise((done) => {
      const options = { cwd: temporaryFolder(), env }
      execFile(process.execPath, [...mainOf(), ...args], options, (_error, out, err) => done(out + err))
    })

  const COMMANDS = [
    ['logs', '--session', HOSTILE.slice(1, 4)],
    ['logs', '--token', 'token'],
    ['logs'],
    ['send', '5511999999999', 'text'],
    ['qr'],
    ['nodes'],
    ['trigger', 'message.text', '--token', 'token'],
    ['trigger', 'message.text'],
  ]

  it('has nothing that a terminal obeys of a gateway, a receiver or a contact', async () => {
    for (const args of COMMANDS) {
      const printed = await wamux([...args, '--url', url])
      expect(printed, args.join(' ')).to.include('x␛')
      expect(FORBIDDEN.exec(printed)?.[0], `${args.join(' ')}: ${JSON.stringify(printed)}`).to.equal(
        undefined,
      )
    }
  })

  it('has nothing of it in the words of a refusal, nor in an answer that is none', async () => {
    const refused = JSON.stringify({ code: 400, error: HOSTILE, errorCode: HOSTILE, success: false })
    for (const body of [refused, HOSTILE])
      for (const args of [...COMMANDS, ['listen']]) {
        failure = { status: 400, body }
        const printed = await wamux([...args, '--url', url])
        expect(printed, args.join(' ')).not.to.equal('')
        expect(FORBIDDEN.exec(printed)?.[0], `${args.join(' ')}: ${JSON.stringify(printed)}`).to.equal(
          undefined,
        )
      }
  })

  it('has nothing of it while it listens, and each event is one line', async () => {
    const child = spawn(process.execPath, [...mainOf(), 'listen', '--token', 'token', '--url', url], {
      cwd: temporaryFolder(),
      env,
    })
    const ended = new Promise((done) => child.once('exit', done))
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text
      })
    await eventually(() => printed.split('\n').length > 2, 'the line of the event')
    child.kill('SIGKILL')
    await ended
    expect(printed).to.include('␛]52;c;')
    expect(FORBIDDEN.exec(printed)?.[0], JSON.stringify(printed)).to.equal(undefined)
    expect(printed.split('\n')).to.have.length(3)
  })

  it('is written in one place', () => {
    const folder = 'config/cli'
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    )
    const writing = files.filter((name) =>
      /\bconsole\.|std(out|err)\.write|writeSync\(/.test(readFileSync(join(folder, name), 'utf8')),
    )
    expect(writing).to.deep.equal(['print.ts'])
  })
})
