import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect } from 'chai'
import proxyPlugin from '../../../plugins/proxy/index.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../support/eventually.ts'
import { picture } from '../../support/picture.ts'
import { whole } from '../../support/run/whole.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'
import { FROM, isInstalled, KINDS, type ProxyKind, type ProxyProcess, startProxy } from './proxy-process.ts'

const [FIRST] = Object.keys(KINDS)

for (const kind of Object.keys(KINDS) as ProxyKind[]) {
  describe(`a session behind a proxy (${kind})`, () => {
    let world: World
    let proxy: ProxyProcess
    let session: LinkedSession
    let ana: Phone
    let connections: ReturnType<typeof observeConnections>
    before(async function () {
      if (!isInstalled(kind)) return this.skip()
      proxy = await startProxy(kind)
      world = await startWorld({
        extra: [proxyPlugin],
        config: { proxy: { url: proxy.url } },
        reconnect: { first: 100, most: 500 },
      })
      const { url, mediaHost } = world.gateway.service('sandbox').network
      connections = observeConnections([new URL(url).port, mediaHost.split(':')[1] ?? ''])
      session = await world.linked(await world.phone('Shop'))
      ana = await world.phone('Ana')
    })
    after(async () => {
      connections?.stop()
      await world?.stop()
      await proxy?.stop()
    })
    const shown = async () => (await session.get('/session/proxy')).data
    const text = (body: string) => session.post('/send/text', { Phone: ana.account.phone, Body: body })

    it('is linked, uploads, downloads and receives with no connection beside it', async () => {
      const image = await picture()
      expect(await session.post('/send/image', { Phone: ana.account.phone, Image: image })).to.include({
        status: 200,
      })
      const sent = await ana.wait(({ raw }) => Boolean(raw.imageMessage))
      const part = sent.raw.imageMessage
      const file = await session.post('/message/downloadimage', {
        Url: part?.url,
        DirectPath: part?.directPath,
        MediaKey: base64(part?.mediaKey),
        FileEncSHA256: base64(part?.fileEncSha256),
        FileSHA256: base64(part?.fileSha256),
        FileLength: Number(part?.fileLength),
        Mimetype: 'image/jpeg',
      })
      expect(file.status, file.error).to.equal(200)
      expect(connections.media()).to.be.greaterThan(1)
      expect(connections.socket()).to.be.greaterThan(1)
      // The version of WhatsApp Web is looked up on the port of the WebSocket.
      expect(world.counters()).to.include({ serviceWorkers: 1 })
      expect(connections.sources()).to.deep.equal([FROM])
    })

    // Both kinds of proxy are watched by the same code.
    const run = kind === FIRST ? it : whole.it
    run('is down while the proxy is, says so, and comes back with it', async () => {
      await proxy.stop()
      const down = await eventually(async () => {
        const { data } = await session.get('/session/status')
        return data['Reason']?.includes('did not open a connection') && data
      }, 'the state names the proxy')
      expect(down).to.include({ State: 'waiting', LoggedIn: false })
      expect(down.Reason).to.include(`127.0.0.1:${proxy.port}`).and.not.to.include('password')
      expect((await text('while it is down')).status).to.be.greaterThan(399)
      expect(connections.sources()).to.deep.equal([FROM])
      await proxy.start()
      await session.status({ LoggedIn: true })
      expect((await text('again')).status).to.equal(200)
      expect(connections.sources()).to.deep.equal([FROM])
    })

    it('shows it without the password, and refuses one that opens no connection', async () => {
      expect(await shown()).to.deep.equal({
        URL: `${kind}://shop:***@127.0.0.1:${proxy.port}`,
        Source: 'gateway',
      })
      const wrong = proxy.url.replace('p%61ssword', 'wrong')
      const refused = await session.post('/session/proxy', { URL: wrong })
      expect(refused.status).to.equal(502)
      expect(refused.error).to.include('did not open a connection').and.not.to.include('wrong')
      expect(await shown()).to.include({ Source: 'gateway' })
      await session.status({ LoggedIn: true })
    })

    it('connects again when its proxy is changed, and directly once that is asked for', async () => {
      const before = connections.socket()
      expect((await session.post('/session/proxy', { URL: proxy.url })).data).to.include({
        Source: 'session',
      })
      await eventually(() => connections.socket() > before, 'it connects again')
      await session.status({ LoggedIn: true })
      expect(connections.sources()).to.deep.equal([FROM])
      expect((await session.post('/session/proxy', { URL: 'direct' })).data).to.deep.equal({
        URL: 'direct',
        Source: 'session',
      })
      await eventually(() => connections.sources().includes('127.0.0.1'), 'it connects directly')
      await session.status({ LoggedIn: true })
    })
  })
}

describe('the address of a proxy', () => {
  let world: World
  let session: LinkedSession
  before(async () => {
    world = await startWorld({ extra: [proxyPlugin], config: { proxy: { timeoutMs: 300 } } })
    session = await world.linked(await world.phone('Shop'))
  })
  after(() => world.stop())

  for (const [url, says] of [
    ['proxy.example:1080', 'must be an http://, https:// or socks5:// address'],
    ['ftp://proxy.example', 'must be an http://, https:// or socks5:// address'],
    ['socks5://', 'has no host'],
    ['http://proxy.example/path', 'must end after the port'],
    ['http://a:%zz@proxy.example', 'is not encoded'],
    ['socks5://10.0.0.1:1080', 'WAMUX_ALLOW_PRIVATE_HOSTS'],
  ] as const) {
    it(`is refused: ${url}`, async () => {
      const refused = await session.post('/session/proxy', { URL: url })
      expect(refused.error).to.include(says)
      expect((await session.get('/session/proxy')).data).to.deep.equal({ URL: 'direct', Source: 'none' })
    })
  }

  it('is refused when the proxy accepts the connection and stays silent', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    for (const protocol of ['socks5', 'http', 'https']) {
      const refused = await session.post('/session/proxy', { URL: `${protocol}://127.0.0.1:${port}` })
      expect(refused.error).to.equal(
        `The proxy 127.0.0.1:${port} did not open a connection: no connection within 300 ms`,
      )
    }
    silent.close()
  })

  it('can be set before the first link, which then uses it', async () => {
    const { data } = await world.gateway.post('/session/init', { Name: 'New' }, admin)
    const headers = { token: String(data.Token) }
    const url = 'socks5://127.0.0.1:9'
    const set = await world.gateway.post('/session/proxy', { URL: url, Check: false }, headers)
    expect(set.data).to.deep.equal({ URL: url, Source: 'session' })
    await world.gateway.post('/session/connect', { Immediate: true }, headers)
    await eventually(async () => {
      const { data } = await world.gateway.get('/session/all', admin)
      return JSON.stringify(data).includes('127.0.0.1:9 did not open a connection')
    }, 'the state names the proxy')
    await world.gateway.post('/session/delete', {}, { ...headers, ...admin })
  })

  it('can be stored before the proxy runs, and removed again', async () => {
    const url = 'socks5://127.0.0.1:9'
    expect((await session.post('/session/proxy', { URL: url, Check: false })).data).to.deep.equal({
      URL: url,
      Source: 'session',
    })
    await session.status({ LoggedIn: false })
    const headers = session.headers
    const removed = await world.gateway.call('DELETE', '/session/proxy', { headers })
    expect(removed.data).to.deep.equal({ URL: 'direct', Source: 'none' })
    await session.status({ LoggedIn: true })
    expect((await world.gateway.call('DELETE', '/session/proxy', { headers })).status).to.equal(404)
  })
})

/** All connections that servers of this process accept on those ports: the network's own. */
function observeConnections(ports: readonly string[]) {
  const seen: { port: string; source: string }[] = []
  const listen = (message: unknown): void => {
    const { socket } = message as { socket: Socket }
    const port = String(socket.localPort)
    if (ports.includes(port)) seen.push({ port, source: socket.remoteAddress?.replace('::ffff:', '') ?? '' })
  }
  subscribe('net.server.socket', listen)
  const count = (port: string | undefined): number => seen.filter((one) => one.port === port).length
  return {
    socket: () => count(ports[0]),
    media: () => count(ports[1]),
    sources: () => [...new Set(seen.map(({ source }) => source))].sort(),
    stop: () => unsubscribe('net.server.socket', listen),
  }
}

function base64(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('base64')
}
