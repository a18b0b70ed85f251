import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { definePlugin, reply, T } from '../../../kernel/plugin.ts'
import server from '../../../plugins/server/index.ts'
import { ADMIN, startedGateway, type TestGateway } from '../../support/gateway.ts'

const MB = 1024 * 1024
const LIMITS = { headers: 500, request: 1_500, answer: 1_000, leastRate: 64_000, check: 50 }
/** A busy machine looks late; without these limits Node's own hold, a minute and more. */
const SLACK = 25_000
/** So small that a busy machine reaches it within the time of a request. */
const BODY_LIMIT = 64 * 1024
const LARGE = Buffer.alloc(16 * MB, 'x')

const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  api: '^1.0.0',
  routes: (r) => [
    r.post('/probe', {
      summary: 'Takes a body',
      access: 'admin',
      body: T.Object({ Text: T.Optional(T.String({ format: 'file' })), a: T.Optional(T.Unknown()) }),
      handle: async () => ({}),
    }),
    r.get('/probe/large', {
      summary: 'Answers what no buffer on the way holds',
      access: 'public',
      handle: async () => reply(LARGE, { 'Content-Type': 'text/plain' }),
    }),
  ],
})

const head = (line: string, ...headers: string[]): string =>
  `${[line, 'Host: x', ...headers].join('\r\n')}\r\n`
const POST = head('POST /probe HTTP/1.1', `admintoken: ${ADMIN}`)
const STRANGER = head('POST /probe HTTP/1.1', 'admintoken: wrong')
const CHUNK = Buffer.from(`10000\r\n${' '.repeat(0x10000)}\r\n`)

type Flood = (socket: Socket) => void

const text =
  (what: string): Flood =>
  (socket) =>
    void socket.write(what)

/** One byte every 20 ms, for as long as it may. */
const drip =
  (start: string, byte = 'x'): Flood =>
  (socket) => {
    socket.write(start)
    const timer = setInterval(() => socket.write(byte), 20)
    socket.once('close', () => clearInterval(timer))
  }

/** The same again and again, as fast as it is taken. */
const pour =
  (start: string, what: Buffer): Flood =>
  (socket) => {
    socket.write(start)
    const more = (): void => {
      while (!socket.destroyed && socket.writable && socket.write(what));
    }
    socket.on('drain', more)
    more()
  }

describe('floods', function () {
  this.timeout(300_000)
  let gateway: TestGateway
  before(async () => {
    gateway = await startedGateway({
      plugins: [{ plugin: server }, { plugin: probe }],
      bodyLimit: BODY_LIMIT,
      clientTimeouts: LIMITS,
    })
  })
  after(() => gateway.stop())

  const open = (): Socket => {
    const { hostname, port } = new URL(gateway.url)
    return connect(Number(port), hostname).on('error', () => undefined)
  }

  /** Resolves with what came back once the gateway has ended the connection. */
  const ended = async (flood: Flood): Promise<{ answer: string; ms: number }> => {
    const socket = open()
    let answer = ''
    socket.on('data', (data) => {
      answer += data
    })
    await once(socket, 'connect')
    const began = Date.now()
    // Not once(): a connection that is cut off may end with an error, and has ended all the same.
    const closed = new Promise((resolve) => socket.once('close', resolve))
    flood(socket)
    await closed
    return { answer, ms: Date.now() - began }
  }

  /** Does the work while a client asks again and again, who must be served each time. */
  const besideClient = async <R>(work: Promise<R>): Promise<R> => {
    let isOver = false
    const done = work.finally(() => {
      isOver = true
    })
    const seen: { status: number; isQuick: boolean }[] = []
    do {
      const began = Date.now()
      const { status } = await gateway.get('/server/ok')
      seen.push({ status, isQuick: Date.now() - began < SLACK })
    } while (!isOver)
    expect(seen.filter(({ status, isQuick }) => status !== 200 || !isQuick)).to.deep.equal([])
    return done
  }

  const table: readonly [what: string, flood: Flood, answer: RegExp, limit: number][] = [
    ['nothing at all', () => undefined, /^HTTP\/1\.1 408/, LIMITS.headers],
    ['headers that stop', text('GET /server/ok HTTP/1.1\r\nHost: x\r\n'), /^HTTP\/1\.1 408/, LIMITS.headers],
    ['headers byte by byte', drip('GET /server/ok HTTP/1.1\r\nX: '), /^HTTP\/1\.1 408/, LIMITS.headers],
    ['a body that stops', text(`${POST}Content-Length: 100\r\n\r\n{`), /^HTTP\/1\.1 408/, LIMITS.request],
    ['a body byte by byte', drip(`${POST}Content-Length: 50000\r\n\r\n`), /^HTTP\/1\.1 408/, LIMITS.request],
    [
      'a chunked body byte by byte',
      drip(`${POST}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'),
      /^HTTP\/1\.1 408/,
      LIMITS.request,
    ],
    [
      'a body that stops, of a request that was refused',
      text(`${STRANGER}Content-Length: 100\r\n\r\n{`),
      /^HTTP\/1\.1 4(01|29)/,
      LIMITS.request,
    ],
    [
      'a body without end, of a request that was refused',
      pour(`${STRANGER}Transfer-Encoding: chunked\r\n\r\n`, CHUNK),
      // A busy machine may end the request before it refuses it.
      /^HTTP\/1\.1 4(01|08|29)/,
      LIMITS.request,
    ],
    [
      'a body without end',
      pour(`${POST}Transfer-Encoding: chunked\r\n\r\n`, CHUNK),
      /^HTTP\/1\.1 413/,
      LIMITS.request,
    ],
    [
      'a body larger than it may be',
      text(`${POST}Connection: close\r\nContent-Length: ${100 * MB}\r\n\r\n{`),
      /^HTTP\/1\.1 413/,
      LIMITS.request,
    ],
    [
      'deep JSON',
      text(`${POST}Connection: close\r\nContent-Length: 50005\r\n\r\n{"a":${'['.repeat(50_000)}`),
      /^HTTP\/1\.1 400[\s\S]*nested deeper than 20 levels/,
      LIMITS.request,
    ],
    [
      'a header of 100 KB',
      text(`GET /server/ok HTTP/1.1\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`),
      /^HTTP\/1\.1 431/,
      0,
    ],
    [
      '5,000 headers',
      text(
        `${head('GET /server/ok HTTP/1.1', ...Array.from({ length: 5_000 }, (_, i) => `x-${i}: ${i}`))}\r\n`,
      ),
      /^HTTP\/1\.1 431/,
      0,
    ],
    [
      'headers without end',
      pour('GET /server/ok HTTP/1.1\r\n', Buffer.from('a: b\r\n'.repeat(2_000))),
      /^HTTP\/1\.1 431/,
      0,
    ],
    ['a method of 100 KB', text(`${'G'.repeat(100_000)} / HTTP/1.1\r\n\r\n`), /^HTTP\/1\.1 400/, 0],
    ['a path of 100 KB', text(`GET /${'x'.repeat(100_000)} HTTP/1.1\r\n\r\n`), /^HTTP\/1\.1 431/, 0],
    ['garbage', text('\u0000\u0001\u0002 garbage\r\n\r\n'), /^HTTP\/1\.1 400/, 0],
    ['garbage behind a request', text(`${head('GET /server/ok HTTP/1.1')}\r\ngarbage`), /HTTP\/1\.1 400/, 0],
    [
      'two lengths of one body',
      text(`${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
      /^HTTP\/1\.1 400/,
      0,
    ],
  ]
  for (const [what, flood, answer, limit] of table) {
    it(`of ${what} are answered and ended, and others are served`, async () => {
      const floods = await besideClient(Promise.all(Array.from({ length: 20 }, () => ended(flood))))
      for (const one of floods) {
        expect(one.answer).to.match(answer)
        expect(one.ms).to.be.lessThan(limit + SLACK)
      }
    })
  }

  it('of half-open connections are ended, and others are served', async () => {
    const flood = text('GET /server/ok HTTP/1.1\r\nHost: x\r\nX-')
    const floods = await besideClient(Promise.all(Array.from({ length: 500 }, () => ended(flood))))
    expect(floods.filter(({ answer }) => !answer.startsWith('HTTP/1.1 408'))).to.deep.equal([])
    expect(Math.max(...floods.map(({ ms }) => ms))).to.be.lessThan(LIMITS.headers + SLACK)
  })

  it('of answers that are asked for and not taken are cut off, and are no copies', async () => {
    const before = memory()
    const flood: Flood = (socket) => {
      socket.pause()
      // Who doesn't read learns of the end by writing; empty lines between requests mean nothing.
      drip(`${head('GET /probe/large HTTP/1.1')}\r\n`, '\r\n')(socket)
    }
    const floods = await besideClient(Promise.all(Array.from({ length: 50 }, () => ended(flood))))
    for (const { ms } of floods) expect(ms).to.be.within(LIMITS.answer, LIMITS.answer + SLACK)
    expect(memory() - before).to.be.lessThan(10 * LARGE.length)
  })

  it('of bodies hold no more than what a body may have', async () => {
    const before = memory()
    let most = 0
    const timer = setInterval(() => {
      most = Math.max(most, memory() - before)
    }, 10)
    const flood = pour(`${POST}Transfer-Encoding: chunked\r\n\r\n`, CHUNK)
    await Promise.all(Array.from({ length: 50 }, () => ended(flood)))
    clearInterval(timer)
    expect(most)
      .to.be.greaterThan(0)
      .and.lessThan(150 * MB)
  })
})

describe('bodies that no route reads', () => {
  it('do not count against the limit of bodies that are read at once', async () => {
    const gateway = await startedGateway({ plugins: [{ plugin: server }, { plugin: probe }] })
    const { hostname, port } = new URL(gateway.url)
    const sockets = Array.from({ length: 8 }, () => connect(Number(port), hostname))
    // Each may become 64 MB, and four of these are all that is read at once.
    const answers = sockets.map((socket) => {
      socket.write(`${head('GET /server/ok HTTP/1.1', 'Transfer-Encoding: chunked')}\r\n1\r\n`)
      return once(socket, 'data')
    })
    for (const [data] of await Promise.all(answers)) expect(String(data)).to.match(/^HTTP\/1\.1 200/)
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from('{"Text":"wanted"}'))
        controller.close()
      },
    })
    const options = { method: 'POST', headers: { admintoken: ADMIN }, body, duplex: 'half' }
    expect((await fetch(`${gateway.url}/probe`, options as RequestInit)).status).to.equal(200)
    for (const socket of sockets) socket.destroy()
    await gateway.stop()
  })
})

/** Bytes that this process holds: the gateway, and its clients here. */
function memory(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
