import { request } from 'node:http'
import { connect } from 'node:net'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { asFunction, definePlugin, type Events } from '../../../kernel/plugin.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { ADMIN } from '../../support/gateway.ts'
import { picture } from '../../support/picture.ts'
import { admin, type LinkedSession, openShop, type World } from '../../support/world.ts'

declare module 'wamux/plugin' {
  interface GatewaySignals {
    tock: { text: string }
  }
  interface GatewayEvents {
    Tock: { event: { Text: string } }
  }
  interface GatewayServices {
    tocker: Events
  }
}

/** Makes events without a phone. */
const tocker = definePlugin({
  name: 'tocker',
  version: '1.0.0',
  api: '^1.0.0',
  provides: ['tocker'],
  services: () => ({ tocker: asFunction(({ events }: { events: Events }) => events).singleton() }),
  events: { Tock: { class: 'Message', summary: 'Tock' } },
  translate: {
    tock: ({ data }) => ({ events: [{ type: 'Tock', body: { event: { Text: data.text } } }] }),
  },
})

const MAX_SOCKETS = 3

for (const engine of engines) {
  describe(`events over a WebSocket on ${engine.name}`, () => {
    let world: World
    let session: LinkedSession
    let ana: Phone
    let id: string
    const clients: Client[] = []

    before(async () => {
      const config = { 'event-streams': { heartbeatSeconds: 0.2, slowSeconds: 1 } }
      ;({ world, session, ana } = await openShop(
        {
          config,
          extra: [tocker],
          corsOrigins: ['https://crm.example'],
          maxStreamsPerSession: MAX_SOCKETS,
        },
        engine,
      ))
      id = (await session.get('/events')).data.Events[0].userID
    })
    after(() => world.stop())
    let count = 0
    afterEach(async () => {
      for (const client of clients.splice(0)) await client.close()
      // A socket that the gateway has not seen end yet takes a place from the next test.
      const ended = () => world.gateway.lines.filter((line) => line.includes('"status":101')).length
      await eventually(() => ended() >= count, 'ended', { progress: ended })
    })

    const tock = async (text: string, of = id): Promise<number> => {
      const [line] = await world.gateway.service('tocker').raise(of, 'tock', { text })
      return line?.seq ?? 0
    }
    const open = (
      query = '',
      options: Options = { headers: { token: session.token } },
      path = '/events/socket',
    ) => {
      const client = openClient(`${world.gateway.url.replace('http', 'ws')}${path}?${query}`, options)
      clients.push(client)
      void client.opened.then(() => {
        count += 1
      })
      return client
    }
    const texts = ({ events }: Client) => events.flatMap(({ event }) => event?.Text ?? [])

    it('resumes after a cut, without loss or double', async () => {
      const from = await tock('before')
      const first = open(`after=${from}&class=Message`)
      await Promise.all(Array.from({ length: 120 }, (_, i) => tock(`a${i}`)))
      await first.until(() => first.events.length >= 60)
      first.cut()
      await Promise.all(Array.from({ length: 30 }, (_, i) => tock(`b${i}`)))
      const last = first.events.at(-1)?.seq ?? 0
      const second = open(`after=${last}&class=Message`)
      await tock('live')
      await second.until(() => texts(second).includes('live'))
      const all = [...texts(first), ...texts(second)]
      const expected = [
        ...Array.from({ length: 120 }, (_, i) => `a${i}`),
        ...Array.from({ length: 30 }, (_, i) => `b${i}`),
        'live',
      ]
      expect(all).to.deep.equal(expected)
    })

    it('sends real messages in the form of a webhook, and begins with new events', async () => {
      const client = open('types=Message')
      await client.opened
      const sent = await ana.send(session.phone.account.phone, { Text: 'hello' })
      await client.until(() => client.events.length > 0)
      expect(client.events).to.have.length(1)
      expect(client.events[0]).to.include({ type: 'Message', userID: id, instanceName: 'Shop' })
      expect(client.events[0]?.message).to.include({ id: sent, text: 'hello' })
      expect(client.events[0]).not.to.have.property('mediaUrl')
      const bytes = await picture()
      await ana.send(session.phone.account.phone, { Message: { image: bytes } })
      await client.until(() => client.events.length > 1)
      const { mediaUrl } = client.events[1]
      expect(client.events[1]).to.include({ mimeType: 'image/jpeg' }).and.not.to.have.property('base64')
      const file = await fetch(`${world.gateway.url}${mediaUrl}`)
      expect(file.headers.get('content-type')).to.equal('image/jpeg')
      expect((await file.arrayBuffer()).byteLength).to.be.greaterThan(0)
    })

    it('takes the filters of webhooks', async () => {
      const { JID } = await ana.act({
        Action: 'createGroup',
        Text: 'Team',
        Participants: [session.phone.account.phone],
      })
      const client = open(`class=Message&groups=false&denychats=${ana.account.phone},1234567`)
      await client.opened
      await ana.send(String(JID), { Text: 'in the group' })
      await ana.send(session.phone.account.phone, { Text: 'denied' })
      const bea = await world.phone('Bea')
      await bea.send(session.phone.account.phone, { Text: 'let through' })
      await client.until(() => client.events.length > 0)
      expect(client.events.map(({ message }) => message?.text)).to.deep.equal(['let through'])
      expect(await open('allowchats=nobody').refusal).to.equal(400)
      const stream = await world.gateway.get('/events/stream?types=Nonsense', session.headers)
      expect(stream.error).to.include('Filter.Types')
    })

    it('sends pings while nothing happens', async () => {
      const client = open()
      await client.until(() => client.pings > 1)
    })

    it('disconnects a client that does not read, which resumes where it was', async () => {
      const from = await tock('start')
      const client = open(`after=${from}&class=Message`)
      await client.opened
      client.pause()
      // The client can't see its end while it does not read.
      const ended = () =>
        world.gateway.lines.filter((line) => line.includes('"path":"/events/socket"')).length
      const before = ended()
      const weight = 'x'.repeat(40_000)
      // 20 MB, far more than the sockets hold.
      const seqs = await Promise.all(Array.from({ length: 500 }, (_, i) => tock(`${i} ${weight}`)))
      await eventually(() => ended() > before, 'disconnected')
      client.resume()
      await client.closed
      expect(client.events.length).to.be.lessThan(500)
      const again = open(`after=${client.events.at(-1)?.seq ?? from}&class=Message`)
      await again.until(() => again.events.at(-1)?.seq === Math.max(...seqs))
      const numbers = [...texts(client), ...texts(again)].map((text) => Number(text.split(' ')[0]))
      expect(numbers).to.deep.equal(Array.from({ length: 500 }, (_, i) => i))
    })

    const refused: [what: string, query: string, options: () => Options, status: number][] = [
      ['a wrong token', '', () => ({ headers: { token: 'nobody' } }), 401],
      ['no token', '', () => ({}), 401],
      ['a token in the address', 'token=', () => ({}), 400],
      [
        'a page of another origin',
        '',
        () => ({ headers: { token: session.token, origin: 'https://evil.example' } }),
        403,
      ],
      ['an unknown class', 'class=Nonsense', () => ({ headers: { token: session.token } }), 400],
      ['a cursor that is none', 'after=soon', () => ({ headers: { token: session.token } }), 400],
      ['a wrong token as subprotocol', '', () => ({ protocols: ['wamux', 'token.nobody'] }), 401],
    ]
    for (const [what, query, options, status] of refused) {
      it(`refuses ${what}`, async () => {
        const full = query === 'token=' ? `token=${session.token}` : query
        expect(await open(full, options()).refusal).to.equal(status)
      })
    }

    it('takes the token as a subprotocol, which it does not repeat', async () => {
      const client = open('', { protocols: [`token.${session.token}`, 'wamux'] })
      await client.opened
      expect(client.protocol()).to.equal('wamux')
      await tock('by subprotocol')
      await client.until(() => texts(client).includes('by subprotocol'))
    })

    it('allows pages of its own origin, and of those that CORS allows', async () => {
      for (const origin of [world.gateway.url, 'https://crm.example'])
        await open('', { headers: { token: session.token, origin } }).opened
    })

    it('shares its places with the other streams of the session', async () => {
      const [first, second] = [open(), open()]
      await Promise.all([first.opened, second.opened])
      const end = new AbortController()
      const ask = (path: string): Promise<Response> =>
        fetch(world.gateway.url + path, { headers: session.headers, signal: end.signal })
      const stream = await ask('/events/stream')
      expect(stream.status).to.equal(200)
      for (const path of [
        '/events/stream',
        '/events?wait=20',
        '/session/summary/stream',
        '/session/linking/stream',
      ])
        expect((await ask(path)).status, path).to.equal(429)
      expect((await ask('/events?limit=1')).status).to.equal(200)
      end.abort()
      await eventually(
        async () => (await session.get('/events?limit=1&wait=1')).status === 200,
        'a free place',
      )
      expect(stream.bodyUsed).to.equal(false)
    })

    it('bounds the open sockets of a session', async () => {
      const some = Array.from({ length: MAX_SOCKETS }, () => open())
      await Promise.all(some.map(({ opened }) => opened))
      expect(await open().refusal).to.equal(429)
      await some[0]?.close()
      await eventually(async () => {
        const one = open()
        return Promise.race([one.opened.then(() => true), one.refusal.then(() => false)])
      }, 'a place is free again')
    })

    it('streams the events of all sessions to the admin', async () => {
      const { data } = await world.gateway.post('/session/init', { Name: 'Other' }, admin)
      const other = String(data.Id)
      const client = open('class=Message', { headers: admin }, '/events/global/socket')
      const browser = open(
        'class=Message',
        { protocols: [`admintoken.${ADMIN}`, 'wamux'] },
        '/events/global/socket',
      )
      await Promise.all([client.opened, browser.opened])
      await tock('of one')
      await tock('of the other', other)
      for (const one of [client, browser]) {
        await one.until(() => texts(one).includes('of the other'))
        expect(one.events.map(({ userID }) => userID)).to.deep.equal([id, other])
      }
      expect(await open('', { headers: session.headers }, '/events/global/socket').refusal).to.equal(401)
      const resumed = open(
        `after=${(client.events[0]?.seq ?? 1) - 1}&class=Message`,
        { headers: admin },
        '/events/global/socket',
      )
      await resumed.until(() => resumed.events.length === 2)
      expect(texts(resumed)).to.deep.equal(['of one', 'of the other'])
    })

    it('answers a plain request with 426', async () => {
      expect((await session.get('/events/socket')).status).to.equal(426)
    })

    it('serves requests that offer h2c as any other', async () => {
      const body = JSON.stringify({ WebhookURL: '' })
      const headers = {
        token: session.token,
        connection: 'Upgrade, HTTP2-Settings',
        upgrade: 'h2c',
        'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA',
        'content-type': 'application/json',
        'content-length': String(body.length),
      }
      const status = await new Promise((resolve, reject) => {
        const sent = request(`${world.gateway.url}/webhook`, { method: 'POST', headers }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
        sent.on('error', reject)
        sent.end(body)
      })
      expect(status).to.equal(200)
    })

    it('survives clients that break off the handshake, send an invalid one, or no frames', async () => {
      const { hostname, port } = new URL(world.gateway.url)
      const handshake = (key: string): string =>
        [
          `GET /events/socket HTTP/1.1\r\nHost: ${hostname}\r\nToken: ${session.token}`,
          'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13',
          `Sec-WebSocket-Key: ${key}\r\n\r\n`,
        ].join('\r\n')
      const key = 'dGhlIHNhbXBsZSBub25jZQ=='
      const garbage = `${handshake(key)}GET / HTTP/1.1\r\n\r\n`
      // More of each than may be open: a place that is not given back would be missed.
      for (const text of Array(MAX_SOCKETS + 1)
        .fill([garbage, handshake('short'), handshake(key)])
        .flat()) {
        const raw = connect(Number(port), hostname)
        raw.on('error', () => undefined)
        raw.write(text)
        if (text === handshake(key)) raw.destroy()
        await new Promise((resolve) => raw.resume().once('close', resolve))
      }
      await eventually(async () => {
        const one = open()
        return Promise.race([one.opened.then(() => true), one.refusal.then(() => false)])
      }, 'open again')
    })

    it('closes with 4401 when the session is deleted, and with 1001 when the gateway stops', async () => {
      const { data } = await world.gateway.post('/session/init', { Name: 'Short' }, admin)
      const token = String(data.Token)
      const short = open('', { headers: { token } })
      await short.opened
      await world.gateway.post('/session/delete', { Token: token }, admin)
      expect(await short.closed).to.equal(4401)
      const client = open()
      await client.opened
      await world.gateway.stop()
      expect(await client.closed).to.equal(1001)
    })
  })
}

interface Options {
  headers?: Record<string, string>
  protocols?: string[]
}

interface Client {
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
  readonly events: any[]
  readonly pings: number
  readonly opened: Promise<unknown>
  /** The HTTP status of a refused handshake. */
  readonly refusal: Promise<number>
  /** The code of the close. */
  readonly closed: Promise<number>
  protocol(): string
  until(done: () => boolean): Promise<void>
  pause(): void
  resume(): void
  /** Ends the connection as a network does. */
  cut(): void
  close(): Promise<void>
}

function openClient(url: string, { headers, protocols = [] }: Options): Client {
  const socket = new WebSocket(url, protocols, headers ? { headers } : {})
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const events: any[] = []
  let pings = 0
  socket.on('error', () => undefined)
  socket.on('message', (data) => events.push(JSON.parse(String(data))))
  socket.on('ping', () => {
    pings += 1
  })
  const refusal = new Promise<number>((resolve) => {
    socket.on('unexpected-response', (sent, answer) => {
      resolve(answer.statusCode ?? 0)
      sent.destroy()
    })
  })
  const closed = new Promise<number>((resolve) => socket.on('close', resolve))
  return {
    events,
    get pings() {
      return pings
    },
    opened: new Promise((resolve) => socket.once('open', resolve)),
    refusal,
    closed,
    protocol: () => socket.protocol,
    until: (done) =>
      eventually(() => done() || undefined, 'received', { progress: () => events.length }).then(
        () => undefined,
      ),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    cut: () => socket.terminate(),
    async close() {
      if (socket.readyState === WebSocket.CLOSED) return
      socket.terminate()
      await Promise.race([closed, refusal])
    },
  }
}
