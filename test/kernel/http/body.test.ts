import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import Koa from 'koa'
import { isGatewayError } from '../../../kernel/errors.ts'
import { createBodyReader } from '../../../kernel/http/body.ts'
import { createWebSockets } from '../../../kernel/http/browsers/web-sockets.ts'
import { listen } from '../../../kernel/http/server.ts'
import { measureCpu } from '../../support/cpu.ts'
import { eventually } from '../../support/eventually.ts'

const MB = 1024 * 1024

/** A server that answers a body's fate, and holds the bodies of /hold until it is told. */
async function start(together: number) {
  const bodies = createBodyReader({ each: 8 * MB, together })
  const held: (() => void)[] = []
  const server = createServer(async (request, response) => {
    try {
      await bodies.json(request)
      if (request.url === '/hold') await new Promise<void>((resolve) => held.push(resolve))
      response.end('taken')
    } catch (error) {
      response.end(isGatewayError(error) ? `${error.code} ${error.message}` : String(error))
    } finally {
      bodies.release(request)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const post = async (path: string, body: string): Promise<string> => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
    return (await fetch(url, { method: 'POST', body })).text()
  }
  return { server, post, held }
}

describe('bodies', () => {
  let server: Server
  afterEach(() => new Promise((resolve) => server.close(resolve)))
  const begin = async (together = 64 * MB) => {
    const started = await start(together)
    ;({ server } = started)
    return started
  }

  it('may be nested twenty levels deep and no more, and brackets in text are none', async () => {
    const { post } = await begin()
    const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
    expect(await post('/', nested(20))).to.equal('taken')
    expect(await post('/', nested(21))).to.include('nested deeper than 20 levels')
    expect(await post('/', `{"a":${'['.repeat(6 * MB)}`)).to.include('nested deeper than 20 levels')
    const text = JSON.stringify({ a: `${'[{"\\'.repeat(100)}`, b: '\\', c: ['[', '\\"['] })
    expect(await post('/', text)).to.equal('taken')
    expect(await post('/', '{"a":"open')).to.include('not valid JSON')
  })

  it('may hold 50,000 fields and items and no more, and commas in text are none', async () => {
    const { post } = await begin()
    const wide = (items: number): string =>
      JSON.stringify({ a: Array(items).fill(1), b: ',[{,'.repeat(20_000) })
    expect(await post('/', wide(49_990))).to.equal('taken')
    const refusal =
      'BODY_UNREADABLE Could not decode Payload: the body holds more than 50000 fields and items'
    expect(await post('/', wide(50_010))).to.equal(refusal)
    expect(await post('/', `{"a":[${'{},'.repeat(30_000)}{}]}`)).to.equal(refusal)
  })

  const keys = Array.from({ length: 4_000_000 }, (_, at) => `"k${at}":1`)
  const wide: readonly [what: string, body: string, error: string][] = [
    ['of millions of fields', `{${keys.join(',')}}`, 'more than 50000 fields and items'],
    ['of one endless number', `{"a":${'1'.repeat(60 * MB)}}`, 'more than 8388608 characters outside of text'],
    ['of white space', ' '.repeat(60 * MB), 'more than 8388608 characters outside of text'],
  ]
  for (const [what, body, error] of wide) {
    it(`${what} are refused before they are parsed`, async () => {
      const { json } = createBodyReader({ each: 64 * MB, together: 64 * MB })
      const request = Object.assign(Readable.from([Buffer.from(body)]), { headers: {} })
      const cpu = measureCpu()
      expect(await json(request as never).catch(String)).to.include(error)
      // To read the bytes as text is most of it; to parse the fields takes seconds.
      expect(cpu()).to.be.lessThan(1_000)
    })
  }

  it('of many megabytes are bounded together, and give their place back', async () => {
    const { post, held } = await begin(5 * MB)
    const large = JSON.stringify({ a: 'x'.repeat(3 * MB) })
    const first = post('/hold', large)
    await eventually(() => held.length > 0, 'held')
    expect(await post('/', large)).to.match(/^BUSY/)
    expect(await post('/', '{"small":true}')).to.equal('taken')
    held[0]?.()
    expect(await first).to.equal('taken')
    expect(await post('/', large)).to.equal('taken')
  })

  it('of more than the budget are taken one at a time', async () => {
    const { post, held } = await begin(2 * MB)
    const large = JSON.stringify({ a: 'x'.repeat(3 * MB) })
    const first = post('/hold', large)
    await eventually(() => held.length > 0, 'held')
    expect(await post('/', large)).to.match(/^BUSY/)
    held[0]?.()
    expect(await first).to.equal('taken')
  })
})

describe('slow clients', () => {
  it('are cut off, in their headers or their body, while others are served', async () => {
    const bodies = createBodyReader({ each: 8 * MB, together: 4 * MB })
    const app = new Koa()
    app.silent = true
    app.use(async (ctx) => {
      await bodies.json(ctx.req).finally(() => bodies.release(ctx.req))
      ctx.body = 'served'
    })
    const server = await listen(app, createWebSockets([]), {
      // On a busy machine three megabytes take more than half a second.
      clientTimeouts: { headers: 200, request: 2_000, answer: 400, leastRate: 64, check: 50 },
    })
    const { port } = new URL(server.url)
    /** Sends a byte every now and then; resolves with what came back when it was cut off. */
    const drip = (start: string): Promise<string> =>
      new Promise((resolve) => {
        let answer = ''
        let timer: NodeJS.Timeout | undefined
        const socket = connect(Number(port), '127.0.0.1', () => {
          socket.write(start)
          timer = setInterval(() => socket.write('x'), 20)
        })
        socket.on('data', (data) => {
          answer += data
        })
        socket.on('error', () => undefined)
        socket.on('close', () => {
          clearInterval(timer)
          resolve(answer)
        })
      })
    const started = Date.now()
    const slow = [
      ...Array.from({ length: 20 }, () => drip('POST / HTTP/1.1\r\nHost: x\r\nX-')),
      drip(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${3 * MB}\r\n\r\n{`),
    ]
    const other = (): Promise<string> =>
      fetch(server.url, { method: 'POST', body: '{}' }).then((response) => response.text())
    expect(await other()).to.equal('served')
    const answers = await Promise.all(slow)
    // Node's own limits are a minute and more.
    expect(Date.now() - started).to.be.lessThan(30_000)
    expect(answers[0]).to.include('408')
    // Its place is free again: a second one of that size would not fit beside it.
    const large = JSON.stringify({ a: 'x'.repeat(3 * MB) })
    expect(await (await fetch(server.url, { method: 'POST', body: large })).text()).to.equal('served')
    await server.close(100, async () => undefined)
  })
})
