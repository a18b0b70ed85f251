import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect } from 'chai'
import { createNetworkChoice } from '../../../../plugins/baileys/network/network.ts'
import type { Way } from '../../../../plugins/baileys/network/session-networks.ts'
import { wire } from '../../../../plugins/baileys/protocol/wire.ts'
import { readText } from '../../../../plugins/baileys/web-version/request.ts'
import {
  BUILT_IN,
  compareVersions,
  estimatedAt,
  parseVersion,
  readRevision,
  textOf,
  versionOf,
} from '../../../../plugins/baileys/web-version/revision.ts'
import { askSources } from '../../../../plugins/baileys/web-version/sources.ts'
import { eventually } from '../../../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../../../support/network.ts'
import { CURRENT, BUILT_IN as REVISION } from './shop.ts'

const DAY_MS = 86_400_000
const WAY: Way = {
  id: '',
  async connect(host, port) {
    const socket = connect(port, host)
    await once(socket, 'connect')
    return socket
  },
}
const never = new AbortController().signal

describe('the revision in a file of WhatsApp Web', () => {
  const now = BUILT_IN.at + 10 * DAY_MS
  const read = (text: string): number => readRevision(text, BUILT_IN, now)

  it('is read within a string of JavaScript and within JSON', () => {
    expect(read(`x("{\\"client_revision\\":${REVISION + 5},\\"a\\":1}")`)).to.equal(REVISION + 5)
    expect(read(`{"server_revision":1,"client_revision": ${REVISION + 6},"a":1}`)).to.equal(REVISION + 6)
  })

  it('is refused where it is missing, too short, too long, older than the built-in, or too high', () => {
    const highest = REVISION + 10 * 100_000 + 5_000_000
    expect(read(`"client_revision":${REVISION}`)).to.equal(REVISION)
    expect(read(`"client_revision":${highest}`)).to.equal(highest)
    for (const [text, reason] of [
      ['"web_build":1043857760', 'it has no client_revision'],
      ['"client_revision":"1043857760"', 'it has no client_revision'],
      ['"client_revision":12345678', 'its client_revision is 12345678'],
      ['"client_revision":123456789012', 'its client_revision is 123456789012'],
      [`"client_revision":${REVISION - 1}`, 'older than the built-in'],
      [`"client_revision":${highest + 1}`, 'too far above the last one'],
      ['"client_revision":99999999999', 'too far above the last one'],
    ] as const)
      expect(() => read(text), text).to.throw(reason)
  })

  it('that is built in is the one of the installed Baileys', () => {
    expect(versionOf(BUILT_IN.revision)).to.deep.equal(wire.version)
  })

  it('is compared part by part, and dated by what a day brings', () => {
    expect(textOf(versionOf(REVISION))).to.equal(`2.3000.${REVISION}`)
    expect(compareVersions(parseVersion('2.3000.9'), parseVersion('2.3000.10'))).to.be.lessThan(0)
    expect(compareVersions(parseVersion('3.0.1'), parseVersion('2.3000.10'))).to.be.greaterThan(0)
    expect(compareVersions(parseVersion('2.3000.9'), versionOf(9))).to.equal(0)
    expect(estimatedAt(versionOf(REVISION + 670_000)) - BUILT_IN.at).to.equal(10 * DAY_MS)
  })
})

describe('the sources of the version', () => {
  let loose: LooseNetwork
  let site: string
  before(async () => {
    loose = await startNetwork()
    const choice = createNetworkChoice()
    const { url, mediaHost, ca, rootKey } = loose.network
    expect(choice.site()).to.equal('https://web.whatsapp.com')
    choice.dial.use({ name: 'here', url, mediaHost, ca, rootKey })
    site = choice.site()
  })
  after(() => loose.network.close())
  afterEach(() => loose.network.fault({ Fault: 'clear' }))

  const counters = () => loose.network.view()['Counters'] as { serviceWorkers: number; pages: number }
  const ask = (ways: readonly Way[] = [WAY], timeoutMs = 5_000) =>
    askSources(
      site,
      each(ways),
      { revision: REVISION, at: Date.now() },
      { now: Date.now(), signal: never, timeoutMs },
    )

  it('are the service worker, and the page where that one fails', async () => {
    expect(await ask()).to.deep.equal({ revision: CURRENT, source: 'sw.js' })
    expect(counters()).to.include({ serviceWorkers: 1, pages: 0 })
    for (const fault of [
      { Code: 404 },
      { Code: 400 },
      { Shape: 'renamed' },
      { Revision: 99_999_999_999 },
      { Revision: 5 },
    ]) {
      loose.network.fault({ Fault: 'swjs', ...fault })
      expect(await ask(), JSON.stringify(fault)).to.deep.equal({ revision: CURRENT, source: 'page' })
    }
    loose.network.fault({ Fault: 'swjs', Silent: true })
    expect(await ask([WAY], 200)).to.deep.equal({ revision: CURRENT, source: 'page' })
  })

  it('say what is wrong with each of them where both fail', async () => {
    loose.network.fault({ Fault: 'swjs', Code: 503 })
    loose.network.fault({ Fault: 'page', Silent: true })
    expect(await ask([WAY], 200)).to.deep.equal({
      problem: 'sw.js: it answered 503; page: no answer within 0.2 s',
    })
    expect(await ask([])).to.deep.equal({ problem: 'no session is available for the look-up' })
  })

  it('are asked by another way where the first is closed', async () => {
    const closed: Way = {
      id: 'closed',
      connect: async () => {
        throw new Error('no way')
      },
    }
    expect(await ask([closed, WAY])).to.deep.equal({ revision: CURRENT, source: 'sw.js' })
    expect(await ask([closed])).to.deep.equal({ problem: 'sw.js: no way; page: no way' })
  })
})

describe('a request for a file of the web site', () => {
  let handle: RequestListener = (_, response) => response.end()
  const server = createServer((request, response) => handle(request, response))
  let origin: string
  before(async () => {
    await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.close()
    server.closeAllConnections()
  })

  const read = (path: string, timeoutMs = 5_000) =>
    readText(WAY, { url: new URL(path, origin), headers: {}, signal: never, timeoutMs }).catch(
      ({ message }: Error) => message,
    )

  it('follows redirects of the same host, a few of them, and of no other', async () => {
    handle = ({ url }, response) => {
      if (url === '/here') response.writeHead(302, { location: '/there' }).end()
      else if (url === '/there') response.end('found')
      else if (url === '/round') response.writeHead(302, { location: '/round' }).end()
      else response.writeHead(302, { location: 'http://localhost.example/there' }).end()
    }
    expect(await read('/here')).to.equal('found')
    expect(await read('/away')).to.equal('it redirects to another host')
    expect(await read('/round')).to.equal('it redirects too often')
  })

  it('reads no more than 2 MB, and ends in time', async () => {
    handle = ({ url }, response) => {
      if (url === '/large') response.end(Buffer.alloc(2_000_001))
      else if (url === '/whole') response.end(Buffer.alloc(2_000_000, 'a'))
      else response.write('a beginning')
    }
    expect(await read('/large')).to.equal('it has more than 2000000 bytes')
    expect((await read('/whole')).length).to.equal(2_000_000)
    const begun = performance.now()
    expect(await read('/slow', 300)).to.equal('no answer within 0.3 s')
    expect(performance.now() - begun).to.be.lessThan(5_000)
    await eventually(async () => (await openSockets()) === 0, 'its connection closed')
  })

  function openSockets(): Promise<number> {
    return new Promise((settle, reject) =>
      server.getConnections((error, count) => (error ? reject(error) : settle(count))),
    )
  }
})

async function* each(ways: readonly Way[]): AsyncGenerator<Way> {
  yield* ways
}
