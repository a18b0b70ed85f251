import { Readable } from 'node:stream'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { definePlugin, type Reply, reply, T, withTimeout } from '../../../kernel/plugin.ts'
import { measureCpu } from '../../support/cpu.ts'
import { eventually } from '../../support/eventually.ts'
import { ADMIN, startedGateway, type TestGateway } from '../../support/gateway.ts'

const PER_SESSION = 4
const PER_KEY = 2
const ALL = 7

let handled = 0

function endless(signal: AbortSignal): Reply {
  const stream = new Readable({ read: () => undefined })
  stream.push(': begins\n\n')
  signal.addEventListener('abort', () => stream.push(null))
  return reply(stream, { 'content-type': 'text/event-stream' })
}

const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  api: '^1.0.0',
  contributes: {
    authenticate:
      ({ sessions }) =>
      async ({ token }) => {
        const [session] = await sessions.list()
        return token.startsWith('key-') && session
          ? { id: `key:${token}`, scopes: ['read'], session: session.id }
          : undefined
      },
  },
  routes: (r) => [
    r.get('/probe/stream', {
      summary: 'Server-sent events',
      access: 'token',
      isStream: true,
      async handle({ signal }) {
        handled += 1
        return endless(signal)
      },
    }),
    r.get('/probe/socket', {
      summary: 'A WebSocket',
      access: 'token',
      isStream: true,
      async handle({ upgrade }) {
        handled += 1
        const socket = await upgrade()
        await new Promise((resolve) => socket.once('close', resolve))
        return {}
      },
    }),
    r.get('/probe/wait', {
      summary: 'Long polling',
      access: 'token',
      isStream: 'wait',
      body: T.Object({ wait: T.Optional(T.String({ maxLength: 4 })) }),
      async handle({ body: { wait = '0' }, signal }) {
        handled += 1
        const gone = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        await withTimeout(gone, Number(wait) * 1000, () => undefined)
        return {}
      },
    }),
    r.get('/probe/public/:token', {
      summary: 'A stream that needs no token',
      access: 'public',
      isStream: true,
      handle: async ({ signal }) => endless(signal),
    }),
    r.get('/probe/open', {
      summary: 'How many are open',
      access: 'public',
      handle: async (_, { statistics }) => ({ open: statistics().openStreams }),
    }),
    r.get('/probe/plain', { summary: 'No stream', access: 'token', handle: async () => ({}) }),
  ],
})

describe('open streams', () => {
  let gateway: TestGateway
  const tokens: string[] = []
  const ends: (() => void)[] = []
  const held: Response[] = []

  before(async () => {
    const limits = { maxStreams: ALL, maxStreamsPerSession: PER_SESSION, maxStreamsPerKey: PER_KEY }
    const session = definePlugin({
      name: 'maker',
      version: '1.0.0',
      api: '^1.0.0',
      routes: (r) => [
        r.post('/maker', {
          summary: 'Makes a session',
          access: 'admin',
          handle: async (_, { sessions }) => {
            const made = await sessions.create({ name: 'made' })
            return { token: made.token }
          },
        }),
      ],
    })
    gateway = await startedGateway({ plugins: [{ plugin: probe }, { plugin: session }], ...limits })
    for (let at = 0; at < 2; at += 1)
      tokens.push((await gateway.post('/maker', {}, { admintoken: ADMIN })).data.token)
  })
  after(() => gateway.stop())
  afterEach(endAll)

  async function endAll(): Promise<void> {
    for (const end of ends.splice(0)) end()
    held.length = 0
    const openNow = async () => (await gateway.get('/probe/open')).data.open
    await eventually(async () => (await openNow()) === 0, 'all have ended')
  }

  async function open(path: string, token = tokens[0] ?? ''): Promise<number> {
    const end = new AbortController()
    ends.push(() => end.abort())
    const response = await fetch(gateway.url + path, { headers: { token }, signal: end.signal })
    // A response that nothing refers to is cancelled.
    held.push(response)
    return response.status
  }
  function socket(token = tokens[0] ?? ''): Promise<number> {
    const opened = new WebSocket(`${gateway.url.replace('http', 'ws')}/probe/socket`, { headers: { token } })
    ends.push(() => opened.terminate())
    return new Promise((resolve, reject) => {
      opened.once('open', () => resolve(101))
      opened.once('unexpected-response', (_, { statusCode }) => resolve(statusCode ?? 0))
      opened.once('error', reject)
    })
  }
  /** Begins to wait, and resolves once the handler does. */
  async function waits(token?: string): Promise<void> {
    const before = handled
    void open('/probe/wait?wait=30', token).catch(() => undefined)
    await eventually(() => handled > before, 'it waits')
  }

  it('of a session are limited together, whatever their kind', async () => {
    expect(await open('/probe/stream')).to.equal(200)
    expect(await open('/probe/stream')).to.equal(200)
    expect(await socket()).to.equal(101)
    await waits()
    handled = 0
    expect(await open('/probe/stream')).to.equal(429)
    expect(await socket()).to.equal(429)
    expect(await open('/probe/wait?Wait=30')).to.equal(429)
    expect(handled, 'handlers that were called').to.equal(0)
    const response = await fetch(`${gateway.url}/probe/stream`, { headers: { token: tokens[0] ?? '' } })
    expect(Number(response.headers.get('retry-after'))).to.be.above(0)
    expect(await response.json()).to.include({
      errorCode: 'STREAMS_FULL',
      error: `Too many open streams: this session may have ${PER_SESSION}`,
    })
  })

  it('leave other requests of the session, and other sessions, alone', async () => {
    for (let at = 0; at < PER_SESSION; at += 1) await open('/probe/stream')
    expect(await open('/probe/plain')).to.equal(200)
    expect(await open('/probe/wait?wait=0')).to.equal(200)
    expect(await open('/probe/wait')).to.equal(200)
    expect(await open('/probe/stream', tokens[1])).to.equal(200)
  })

  it('of one key are limited too', async () => {
    for (let at = 0; at < PER_KEY; at += 1) expect(await open('/probe/stream', 'key-a')).to.equal(200)
    expect(await open('/probe/stream', 'key-a')).to.equal(429)
    expect(await open('/probe/stream', 'key-b')).to.equal(200)
  })

  it('of the whole gateway are limited, and those without a token by their address', async () => {
    for (let at = 0; at < PER_KEY; at += 1) expect(await open('/probe/public/one')).to.equal(200)
    expect(await open('/probe/public/one')).to.equal(429)
    for (let at = PER_KEY; at < ALL; at += 1) expect(await open(`/probe/public/${at}`)).to.equal(200)
    expect(await open('/probe/stream')).to.equal(429)
  })

  it('give their place back however they end', async () => {
    for (let round = 0; round < 3; round += 1) {
      const kinds = [open('/probe/stream'), socket(), open('/probe/stream')]
      expect(await Promise.all(kinds)).to.deep.equal([200, 101, 200])
      await waits()
      await endAll()
    }
    for (let at = 0; at < PER_SESSION; at += 1) expect(await open('/probe/stream')).to.equal(200)
  })

  it('are refused for little more than any request costs', async () => {
    for (let at = 0; at < PER_SESSION; at += 1) await open('/probe/stream')
    const costOf = async (path: string, token = tokens[0] ?? ''): Promise<number> => {
      const cpu = measureCpu()
      for (let at = 0; at < 20; at += 1)
        await Promise.all(
          Array.from({ length: 50 }, async () => {
            const response = await fetch(gateway.url + path, { headers: { token } })
            await response.text()
          }),
        )
      return cpu()
    }
    await costOf('/probe/plain')
    let ratio = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < 8 && ratio > 1.5; tries += 1)
      ratio = Math.min(ratio, (await costOf('/probe/stream')) / (await costOf('/probe/plain')))
    expect(ratio, 'CPU of 1,000 refusals by that of 1,000 requests').to.be.below(1.5)
  })
})
