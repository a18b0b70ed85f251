import { expect } from 'chai'
import type { Answer } from '../../../plugins/sandbox/testing/calls.ts'
import { clusterDatabase, startNode } from '../../cluster/nodes.ts'
import { eventually } from '../../support/eventually.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'
import { admin, type LinkedSession, linkPhone } from '../../support/sessions.ts'

type Headers = Record<string, string>

describe('a token that is replaced on one of two nodes', () => {
  let loose: LooseNetwork
  /** Serves the session. */
  let a: TestGateway
  let b: TestGateway
  let session: LinkedSession
  let id: string
  let peer: string
  let token: string
  before(async function () {
    const database = clusterDatabase()
    if (!database) return this.skip()
    loose = await startNetwork()
    // Which counts wrong tokens.
    const without = ['audit']
    a = await startNode({ name: 'a', card: loose.card, database, without })
    b = await startNode({ name: 'b', card: loose.card, database, without })
    session = await linkPhone(a, await loose.phones.create({ name: 'Shop' }))
    token = session.token
    id = (await a.get('/session/all', admin)).data[0].Id
    peer = (await loose.phones.create({ name: 'Peer' })).account.phone
  })
  after(async () => {
    await Promise.all([a?.stop(), b?.stop()])
    await loose?.network.close()
  })

  /** What is answered by any node itself, by the other one if it is asked, and by the one that serves the session. */
  const CALLS = [
    (node: TestGateway, headers: Headers) => node.post('/send/text', { Phone: peer, Body: 'hello' }, headers),
    (node: TestGateway, headers: Headers) => node.get('/session/summary', headers),
    (node: TestGateway, headers: Headers) => node.get('/session/status', headers),
    (node: TestGateway, headers: Headers) => node.get('/events?limit=1', headers),
  ]
  async function statuses(node: TestGateway, of: string, first = 0): Promise<number[]> {
    const found: number[] = []
    // Any of them may be the one by which a node learns of the change.
    for (const call of [...CALLS.slice(first), ...CALLS.slice(0, first)])
      found.push((await call(node, { token: of })).status)
    return found
  }
  const REFUSED = [401, 401, 401, 401]
  const ANSWERED = [200, 200, 200, 200]

  async function replace(how: () => Promise<Answer>): Promise<void> {
    for (const first of CALLS.keys()) await replaceOnce(how, first)
  }
  async function replaceOnce(how: () => Promise<Answer>, first: number): Promise<void> {
    for (const node of [a, b]) expect(await statuses(node, token)).to.deep.equal(ANSWERED)
    const { status, data } = await how()
    expect(status).to.equal(200)
    // At once, not after some time.
    for (const node of [b, a]) {
      expect(await statuses(node, token, first)).to.deep.equal(REFUSED)
      expect(await statuses(node, data?.Token)).to.deep.equal(ANSWERED)
    }
    token = data?.Token
  }

  it('is refused by both at once: replaced where its session is served', () =>
    replace(() => a.post('/session/token', {}, { token })))

  it('… on the other one', () => replace(() => b.post('/session/token', {}, { token })))

  it('… by the admin, on the other one', () => replace(() => b.post(`/session/${id}/token`, {}, admin)))

  it('ends the streams that were opened with it, on both', async () => {
    const open = [a, b].flatMap(({ url }) =>
      ['/session/summary/stream', '/events/stream'].map((path) => fetch(url + path, { headers: { token } })),
    )
    const streams = await Promise.all(open)
    for (const { status } of streams) expect(status).to.equal(200)
    const texts = streams.map((stream) => stream.text())
    token = (await a.post('/session/token', {}, { token })).data?.Token
    // Each has ended.
    await Promise.all(texts)
  })

  it('keeps what the other node has changed', async () => {
    expect(await b.post(`/session/${id}/update`, { Name: 'renamed' }, admin)).to.include({ status: 200 })
    expect((await a.get('/session/summary', { token })).data.Sessions[0].Name).to.equal('renamed')
    await a.post('/session/update', { Labels: { customer: 'acme' } }, { token })
    await eventually(async () => {
      const { data } = await b.get('/session/all', admin)
      return data[0].Labels.customer === 'acme' && data[0].Name === 'renamed'
    }, 'both changes')
  })

  it('is refused by both once the session is deleted', async () => {
    for (const node of [a, b]) expect(await statuses(node, token)).to.deep.equal(ANSWERED)
    expect(await a.post('/session/delete', { Id: id }, admin)).to.include({ status: 200 })
    for (const node of [b, a]) expect(await statuses(node, token)).to.deep.equal(REFUSED)
  })
})

describe('a key that is revoked on one of two nodes', () => {
  let a: TestGateway
  let b: TestGateway
  let loose: LooseNetwork
  before(async function () {
    const database = clusterDatabase()
    if (!database) return this.skip()
    loose = await startNetwork()
    a = await startNode({ name: 'a', card: loose.card, database })
    b = await startNode({ name: 'b', card: loose.card, database })
  })
  after(async () => {
    await Promise.all([a?.stop(), b?.stop()])
    await loose?.network.close()
  })

  it('is refused by the other within a moment', async () => {
    await a.post('/session/init', { Name: 'shop' }, admin)
    const { data } = await a.post('/keys', { Name: 'app', Scopes: ['read'], AllSessions: true }, admin)
    const ask = async (node: TestGateway) => (await node.get('/session/summary', { token: data.Key })).status
    for (const node of [a, b]) expect(await ask(node)).to.equal(200)
    await fetch(`${a.url}/keys/${data.Id}`, { method: 'DELETE', headers: admin })
    const began = performance.now()
    await eventually(async () => (await ask(b)) === 401, 'refused')
    // A notification, where changes are looked for each three seconds besides.
    expect(performance.now() - began).to.be.below(1_000)
  })
})
