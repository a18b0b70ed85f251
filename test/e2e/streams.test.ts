import { expect } from 'chai'
import { WebSocket } from 'ws'
import mcp from '../../plugins/mcp/index.ts'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { clusterDatabase, startNode } from '../cluster/nodes.ts'
import { type Clients, call, clientsOf, person } from '../plugins/mcp/clients.ts'
import { eventually } from '../support/eventually.ts'
import { ADMIN, type TestGateway } from '../support/gateway.ts'
import { readMetrics } from '../support/metrics.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { admin, type LinkedSession, linkPhone } from '../support/sessions.ts'
import { openShop, type World } from '../support/world.ts'

type Headers = Record<string, string>

const PER_SESSION = 3

/** Streams of one gateway or of several, which all end together. */
function streams() {
  const ends: (() => void)[] = []
  const held: Response[] = []
  return {
    async open(url: string, headers: Headers): Promise<number> {
      const end = new AbortController()
      ends.push(() => end.abort())
      const response = await fetch(url, { headers, signal: end.signal })
      // A response that nothing refers to is cancelled.
      held.push(response)
      return response.status
    },
    /** Begins a request that waits for an event. */
    poll(url: string, headers: Headers): void {
      const end = new AbortController()
      ends.push(() => end.abort())
      void fetch(url, { headers, signal: end.signal }).catch(() => undefined)
    },
    socket(url: string, headers: Headers): Promise<number> {
      const opened = new WebSocket(url.replace('http', 'ws'), { headers })
      ends.push(() => opened.terminate())
      return new Promise((resolve, reject) => {
        opened.once('open', () => resolve(101))
        opened.once('unexpected-response', (_, { statusCode }) => resolve(statusCode ?? 0))
        opened.once('error', reject)
      })
    },
    end(): void {
      for (const end of ends.splice(0)) end()
      held.length = 0
    },
  }
}

const openOn = async ({ url }: TestGateway): Promise<number> =>
  (await readMetrics(url, admin)).value('wamux_open_streams') ?? Number.NaN

describe('streams of the plugins', () => {
  let world: World
  let session: LinkedSession
  let other: LinkedSession
  let ana: Phone
  let clients: Clients
  const all = streams()
  before(async () => {
    ;({ world, session, ana } = await openShop({
      extra: [mcp],
      config: { mcp: { scopes: ['read', 'send', 'manage'] } },
      maxStreamsPerSession: PER_SESSION,
      maxStreamsPerKey: 100,
    }))
    other = await world.linked(await world.phone('Other'))
    clients = clientsOf(() => world.gateway.url)
  })
  after(async () => {
    await clients.close()
    await world.stop()
  })
  afterEach(async () => {
    all.end()
    await eventually(async () => (await openOn(world.gateway)) === 0, 'all have ended')
  })

  const at = (path: string): string => world.gateway.url + path

  it('share the places of their session, whoever opened them', async () => {
    const login = await fetch(at('/dashboard/login'), {
      method: 'POST',
      headers: { 'x-wamux-dashboard': '1', authorization: `Bearer ${ADMIN}` },
    })
    const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const { name } = session.phone.account
    // What the dashboard opens, by its cookie.
    const page = { cookie, 'x-wamux-dashboard': '1', 'x-session': name }
    expect(await all.open(at('/events/stream'), page)).to.equal(200)
    expect(await all.socket(at('/events/socket'), session.headers)).to.equal(101)
    all.poll(at('/events?wait=60&after=999999'), { ...admin, 'x-session': name })
    await eventually(async () => (await openOn(world.gateway)) === PER_SESSION, 'a third one')
    const kinds = ['/events/stream', '/events?wait=20', '/session/summary/stream', '/session/linking/stream']
    for (const path of kinds)
      expect((await fetch(at(path), { headers: session.headers })).status, path).to.equal(429)
    for (const path of kinds.slice(0, 2))
      expect((await fetch(at(path), { headers: page })).status, path).to.equal(429)
    expect(await all.open(at('/events/stream'), other.headers)).to.equal(200)
  })

  it('count the questions of an assistant that wait for an answer', async () => {
    const who = person('accept')
    const client = await clients.overHttp(session.token, who)
    const newGroup = async (GroupName: string): Promise<string> =>
      (await session.post('/group/create', { GroupName, Participants: [ana.account.phone] })).data.JID
    let open = 0
    who.thinks = async () => {
      open = await openOn(world.gateway)
    }
    expect(await call(client, 'groupLeave', { GroupJID: await newGroup('Plans') })).to.include({
      isError: false,
    })
    expect(open).to.equal(1)
    for (let one = 0; one < PER_SESSION; one += 1)
      expect(await all.open(at('/events/stream'), session.headers)).to.equal(200)
    const refusal = await call(client, 'groupLeave', { GroupJID: await newGroup('More') }).catch(String)
    expect(refusal).to.include('Too many open streams')
    expect(await openOn(world.gateway)).to.equal(PER_SESSION)
    // A call that asks nothing is no stream.
    const listed = await call(client, 'getGroupList')
    expect(listed.isError, listed.text).to.equal(false)
  })

  it('slow no other session when 1,000 of them are refused', async () => {
    for (let one = 0; one < PER_SESSION; one += 1) await all.open(at('/events/stream'), session.headers)
    /** Milliseconds that requests of the other session take beside 1,000 of this one. */
    const beside = async (path: string, status: number): Promise<number> => {
      let left = 1_000
      const load = Array.from({ length: 25 }, async () => {
        while (left-- > 0) {
          const response = await fetch(at(path), { headers: session.headers })
          await response.text()
          expect(response.status).to.equal(status)
        }
      })
      const times: number[] = []
      while (left > 0) {
        const began = performance.now()
        expect(await other.get('/session/status')).to.include({ status: 200 })
        times.push(performance.now() - began)
      }
      await Promise.all(load)
      return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
    }
    await beside('/session/status', 200)
    let ratio = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < 3 && ratio > 2; tries += 1) {
      const plain = await beside('/session/status', 200)
      ratio = Math.min(ratio, (await beside('/events/stream', 429)) / plain)
    }
    expect(ratio, 'median time beside refusals by that beside answers').to.be.below(2)
  })
})

describe('streams on two nodes', () => {
  let loose: LooseNetwork
  let a: TestGateway
  let b: TestGateway
  let session: LinkedSession
  const all = streams()
  before(async function () {
    const database = clusterDatabase()
    if (!database) return this.skip()
    loose = await startNetwork()
    const limits = { maxStreamsPerSession: PER_SESSION }
    a = await startNode({ name: 'a', card: loose.card, database, limits })
    b = await startNode({ name: 'b', card: loose.card, database, limits })
    session = await linkPhone(a, await loose.phones.create({ name: 'Shop' }))
  })
  after(async () => {
    all.end()
    await Promise.all([a?.stop(), b?.stop()])
    await loose?.network.close()
  })

  it('count once, where their session is served, whichever node they were opened on', async () => {
    const { headers } = session
    expect(await all.socket(`${b.url}/events/socket`, headers)).to.equal(101)
    expect(await all.open(`${b.url}/events/stream`, headers)).to.equal(200)
    expect(await all.open(`${a.url}/events/stream`, headers)).to.equal(200)
    expect([await openOn(a), await openOn(b)]).to.deep.equal([PER_SESSION, 0])
    for (const { url } of [a, b]) {
      expect(await all.open(`${url}/events/stream`, headers)).to.equal(429)
      expect(await all.open(`${url}/events?wait=20`, headers)).to.equal(429)
      expect(await all.socket(`${url}/events/socket`, headers)).to.equal(429)
    }
    all.end()
    await eventually(async () => (await openOn(a)) === 0, 'their places are free')
  })
})
