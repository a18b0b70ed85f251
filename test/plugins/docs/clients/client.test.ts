import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ClientOptions, createClient, type GatewayEvent, WamuxError } from '@wamux/client'
import { expect } from 'chai'
import { build } from 'esbuild'
import { eventually } from '../../../support/eventually.ts'
import { admin, openShop, type Shop } from '../../../support/world.ts'

describe('@wamux/client', () => {
  let shop: Shop
  before(async () => {
    shop = await openShop()
  })
  after(() => shop.world.stop())

  const clientOf = (options: Partial<ClientOptions> = {}) =>
    createClient({
      url: shop.world.gateway.url,
      token: shop.session.token,
      adminToken: admin.admintoken,
      ...options,
    })

  it('makes twenty calls, typed by path and method', async () => {
    const { get, post, call } = clientOf()
    const Phone = shop.ana.account.phone
    expect((await get('/server/ok')).status).to.equal('ok')
    const { Id } = await post('/session/init', { Name: 'Second' })
    expect((await get('/session/all')).map((session) => session.Id)).to.include(Id)
    expect((await get('/session/status')).LoggedIn).to.equal(true)
    expect((await post('/user/check', { Phone: [Phone] })).Users[0]?.IsInWhatsapp).to.equal(true)
    expect(Object.keys((await post('/user/info', { Phone: [Phone] })).Users)).to.have.length(1)
    const sent = await post('/send/text', { Phone, Body: 'one' })
    expect((await shop.ana.wait(({ id }) => id === sent.Id)).id).to.equal(sent.Id)
    const key = { idempotencyKey: 'own-1' }
    const first = await post('/send/text', { Phone, Body: 'two' }, key)
    expect((await post('/send/text', { Phone, Body: 'two' }, key)).Id).to.equal(first.Id)
    await post('/message/status', { Id: sent.Id })
    await post('/send/poll', { Phone, Question: 'Which?', MaxAnswer: 1, Options: ['a', 'b'] })
    await post('/send/location', { Phone, Latitude: -23.5, Longitude: -46.6 })
    await post('/message/react', { Phone, Body: '👍', Id: sent.Id, IsFromMe: true })
    await post('/chat/pin', { Chat: Phone, Pin: true })
    const { JID: GroupJID } = await post('/group/create', { GroupName: 'Team', Participants: [Phone] })
    await post('/group/name', { GroupJID, Name: 'Crew' })
    expect((await get('/group/info', { GroupJID })).Name).to.equal('Crew')
    expect((await get('/group/list')).Groups).to.have.length(1)
    expect((await get('/events', { after: '0', class: 'Message' })).Events).to.have.length.greaterThan(0)
    expect(await get('/docs/{file}', undefined, { params: { file: 'init.js' } })).to.be.instanceOf(Blob)
    const link = await post('/session/{id}/link-page', { ExpiresIn: 60 }, { params: { id: Id } })
    expect(link.Url).to.match(/^http/)
    expect(await call<{ Phones: object[] }>('get', '/sandbox/phones')).to.have.property('Phones')
    // @ts-expect-error: not a path of the interface
    const unknown = get('/nowhere').catch(({ errorCode }: WamuxError) => errorCode)
    expect(await unknown).to.equal('ROUTE_UNKNOWN')
    // @ts-expect-error: Body is missing
    const incomplete = await post('/send/text', { Phone }).catch((error: unknown) => error)
    expect(incomplete).to.be.instanceOf(WamuxError)
    expect(incomplete).to.include({ code: 400, errorCode: 'FIELD_MISSING' })
    expect((incomplete as WamuxError).requestId).to.match(/^[\w-]{36}$/)
  })

  it('reads events as they come, and goes on behind the last one when it is cut off', async () => {
    const front = await startProxy(shop.world.gateway.url)
    const stop = new AbortController()
    const seen: GatewayEvent[] = []
    const client = clientOf({ url: front.url, retries: 0 })
    const reading = (async () => {
      for await (const event of client.events({ classes: ['Message'], signal: stop.signal })) seen.push(event)
    })()
    const texts = (): unknown[] =>
      seen
        .map(
          (event) => (event.type === 'Message' ? event.event : {}) as { Message?: { conversation: string } },
        )
        .map(({ Message }) => Message?.conversation)
    await eventually(() => front.answered() > 0, 'the stream is open')
    // Cut off before the first event: what comes meanwhile is not lost.
    for (const text of ['one', 'two', 'three']) {
      front.cut()
      await shop.ana.send(shop.session.phone.account.phone, { Text: text })
      await eventually(() => texts().includes(text), text, { progress: () => front.answered() })
    }
    stop.abort()
    await reading
    await front.close()
    expect(texts()).to.deep.equal(['one', 'two', 'three'])
    const old = clientOf({ token: 'nobody' }).events()
    expect(await old.next().catch(({ errorCode }) => errorCode)).to.equal('TOKEN_INVALID')
  })

  it('repeats sends under one key and reads, after failures that pass, and nothing else', async () => {
    const asked: { method: string; key: string; at: number }[] = []
    let answers: [status: number, body: object | string, retryAfter?: string][] = []
    const server = await listen((request, response) => {
      const { method = '', headers } = request
      asked.push({ method, key: String(headers['idempotency-key'] ?? ''), at: performance.now() })
      const [status, body, retryAfter] = answers.shift() ?? [
        200,
        { code: 200, data: { Id: 'x' }, success: true },
      ]
      request.resume()
      if (status === 0) return request.socket.destroy()
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const type = { 'content-type': typeof body === 'string' ? 'text/html' : 'application/json' }
      response.writeHead(status, { ...type, ...(retryAfter ? { 'retry-after': retryAfter } : {}) }).end(text)
      return undefined
    })
    const { get, post } = createClient({ url: server.url })
    const refusal = (code: number, errorCode: string) => ({ code, error: 'no', errorCode, success: false })
    const tries = async (work: () => Promise<unknown>, ...given: typeof answers): Promise<unknown[]> => {
      answers = given
      asked.length = 0
      const outcome = await work().then(
        () => 'done',
        ({ errorCode }: WamuxError) => errorCode,
      )
      return [outcome, asked.length]
    }
    const send = () => post('/send/text', { Phone: '1', Body: 'x' })
    const busy = refusal(503, 'BUSY')
    expect(await tries(send, [0, ''], [502, '<html>'], [504, refusal(504, 'NETWORK_SILENT')])).to.deep.equal([
      'done',
      4,
    ])
    expect(asked[0]?.key).to.match(/^[0-9a-f]{32}$/)
    expect(new Set(asked.map(({ key }) => key)).size).to.equal(1)
    expect(await tries(() => get('/session/status'), [503, busy, '1'])).to.deep.equal(['done', 2])
    expect((asked[1]?.at ?? 0) - (asked[0]?.at ?? 0)).to.be.greaterThan(950)
    expect(await tries(send, [429, refusal(429, 'QUEUE_FULL'), '1'])).to.deep.equal(['QUEUE_FULL', 1])
    expect(await tries(send, [502, refusal(502, 'SEND_FAILED')])).to.deep.equal(['SEND_FAILED', 1])
    expect(await tries(send, [502, refusal(502, 'NETWORK_UNAVAILABLE'), '0'])).to.deep.equal(['done', 2])
    expect(await tries(() => post('/chat/pin', { Chat: '1', Pin: true }), [503, busy])).to.deep.equal([
      'BUSY',
      1,
    ])
    expect(
      await tries(() => post('/send/text', { Phone: '1', Body: 'x', Id: 'own' }), [0, '']),
    ).to.deep.equal(['done', 2])
    expect(asked.map(({ key }) => key)).to.deep.equal(['', ''])
    await server.close()
  }).timeout(30_000)

  it('is small, and has nothing in it that a browser lacks', async () => {
    const { outputFiles, metafile } = await build({
      entryPoints: ['plugins/docs/clients/typescript/index.ts'],
      bundle: true,
      write: false,
      minify: true,
      format: 'esm',
      platform: 'browser',
      metafile: true,
    })
    expect(outputFiles[0]?.contents.length).to.be.lessThan(8_000)
    expect(
      Object.keys(metafile.inputs).every((path) => path.startsWith('plugins/docs/clients/typescript/')),
    ).to.equal(true)
  })
})

interface Listening {
  url: string
  server: Server
  close(): Promise<void>
}

async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<Listening> {
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Passes requests on to `target`, until their connections are cut. */
async function startProxy(target: string) {
  let answered = 0
  const { server, ...rest } = await listen(async (request, response) => {
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    try {
      const { host: _, connection: __, ...headers } = request.headers as Record<string, string>
      const answer = await fetch(`${target}${request.url}`, { headers, signal: gone.signal })
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      for await (const chunk of answer.body ?? []) {
        response.write(chunk)
        answered += 1
      }
      response.end()
    } catch {
      response.destroy()
    }
  })
  return { ...rest, answered: () => answered, cut: () => server.closeAllConnections() }
}
