import { expect } from 'chai'
import { definePlugin } from '../../../kernel/plugin.ts'
import { clusterDatabase, startNode } from '../../cluster/nodes.ts'
import { connected } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, linkPhone } from '../../support/sessions.ts'

interface Issue {
  Cause: string
  Subject: string
  Reason: string
  Remedy: string
  Waiting: number
  Sessions: { Id: string; Name: string }[]
  Count: number
  Nodes: string[]
}

const WEBHOOK = { webhook: { retrySeconds: Array(400).fill(0.1), laneBlockSeconds: 0 } }
const NAMES = ['a', 'b', 'c'] as const
type Name = (typeof NAMES)[number]

describe('GET /issues of three nodes on one PostgreSQL', function () {
  this.timeout(240_000)
  let database: ReturnType<typeof clusterDatabase>
  let look: ReturnType<typeof connected>
  let loose: LooseNetwork
  let receiver: Receiver
  const nodes = new Map<Name, TestGateway>()
  const sessions: LinkedSession[] = []
  const problems = new Map<Name, string>()
  const node = (name: Name): TestGateway => nodes.get(name) as TestGateway

  before(async function () {
    database = clusterDatabase()
    if (!database) return this.skip()
    loose = await startNetwork()
    receiver = await startReceiver()
    look = connected(database.databaseUrl)
    for (const name of NAMES) {
      const crm = { check: async () => problems.get(name) }
      const contributes = { healthChecks: () => ({ crm }) }
      const plugin = definePlugin({ name: 'crm', version: '1.0.0', api: '^1.0.0', contributes })
      nodes.set(
        name,
        await startNode({ name, card: loose.card, database, extra: [plugin], settings: WEBHOOK }),
      )
    }
    for (const [index, name] of ['Ana', 'Ben', 'Cid'].entries()) {
      const phone = await loose.phones.create({ name })
      sessions.push(await linkPhone(node(NAMES[index] as Name), phone))
    }
  })
  after(async () => {
    await Promise.all([...nodes.values()].map((one) => one.stop()))
    await receiver?.close()
    await loose?.network.close()
    await look?.destroy()
  })

  async function issuesOf(name: Name): Promise<Issue[]> {
    const { data, error } = await node(name).get('/issues', admin)
    expect(data?.Unanswered, error).to.deep.equal([])
    return data.Issues
  }
  /** Every node answers the same; which ones report an issue is part of it. */
  async function everywhere(holds: (issues: Issue[]) => boolean, what: string): Promise<Issue[]> {
    let all: Issue[] = []
    for (const name of NAMES)
      await eventually(
        async () => {
          all = await issuesOf(name)
          return holds(all)
        },
        `${name}: ${what}`,
        { progress: () => JSON.stringify(all) },
      )
    return all
  }
  const none = () => everywhere((all) => all.length === 0, 'no issue')
  async function ownersOf(): Promise<string[]> {
    const { rows } = await look.raw('SELECT node FROM ??.cluster_leases', [database?.databaseSchema ?? ''])
    return rows.map((row: { node: string }) => row.node)
  }

  it('makes one line of sessions that several nodes serve, and none after the mend', async () => {
    await eventually(async () => new Set(await ownersOf()).size > 1, 'several nodes serve them')
    await none()
    for (const { phone } of sessions)
      loose.network.fault({
        Phone: phone.account.phone,
        Fault: 'streamError',
        Code: 401,
        Conflict: 'device_removed',
      })
    const [issue, ...more] = await everywhere((all) => all[0]?.Count === 3, 'three sessions')
    expect(more).to.deep.equal([])
    expect(issue).to.include({ Cause: 'session-logged-out', Subject: '' })
    expect(issue?.Sessions.map(({ Name }) => Name).sort()).to.deep.equal(['Ana', 'Ben', 'Cid'])
    expect(issue?.Nodes).to.have.length.above(1)
    // A token sees its own session, whichever node serves it.
    for (const name of NAMES) {
      const { data } = await node(name).get('/issues', sessions[0]?.headers)
      expect(data.Issues[0]).to.deep.include({ Count: 1, Cause: 'session-logged-out' })
      expect(data.Issues[0].Sessions[0]).to.include({ Name: 'Ana' })
    }
    for (const session of sessions) {
      expect(await session.post('/session/connect', { Immediate: false })).to.include({ status: 200 })
      await session.phone.scan((await session.get('/session/qr')).data.QRCode)
      await session.status({ LoggedIn: true })
    }
    await none()
  })

  it('makes one line of sessions that were replaced, closed by connecting them', async () => {
    for (const { phone } of sessions)
      loose.network.fault({ Phone: phone.account.phone, Fault: 'streamError', Conflict: 'replaced' })
    const [issue, ...more] = await everywhere((all) => all[0]?.Count === 3, 'three sessions')
    expect(more).to.deep.equal([])
    expect(issue).to.include({ Cause: 'session-replaced' })
    expect(issue?.Reason).to.match(/\S/)
    expect(issue?.Remedy).to.match(/\S/)
    for (const session of sessions) {
      expect(await session.post('/session/connect')).to.include({ status: 200 })
      await session.status({ LoggedIn: true })
    }
    await none()
  })

  const refusals: [cause: string, fault: Record<string, unknown>][] = [
    ['session-banned', { Code: 403 }],
    ['session-outdated', { Code: 409 }],
    ['session-temporary-ban', { Code: 402, Attrs: { code: '101', expire: '5' } }],
  ]
  for (const [cause, fault] of refusals)
    it(`makes one line of sessions that the network refuses, closed by connecting them: ${cause}`, async () => {
      for (const { phone } of sessions) {
        const { phone: Phone } = phone.account
        loose.network.fault({ Phone, Fault: 'failure', Count: 1, ...fault })
        loose.network.fault({ Phone, Fault: 'drop' })
      }
      const [issue, ...more] = await everywhere((all) => all[0]?.Count === 3, 'three sessions')
      expect(more).to.deep.equal([])
      expect(issue).to.include({ Cause: cause })
      expect(issue?.Remedy).to.match(/\S/)
      for (const session of sessions) {
        if (cause !== 'session-temporary-ban')
          expect(await session.post('/session/connect', { Immediate: false })).to.include({ status: 200 })
        // The keys of a banned account are void.
        if (cause === 'session-banned')
          await session.phone.scan((await session.get('/session/qr')).data.QRCode)
        await session.status({ LoggedIn: true })
      }
      await none()
    })

  it('names a webhook that fails, with what waits, on every node', async () => {
    const session = sessions[0] as LinkedSession
    receiver.answer(() => ({ status: 401 }))
    await session.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['Message'] })
    const peer = await loose.phones.create({ name: 'Waiting' })
    for (const Text of ['one', 'two']) await peer.send(session.phone.account.phone, { Text })
    const [issue, ...more] = await everywhere((all) => all[0]?.Waiting === 2, 'two wait')
    expect(more).to.deep.equal([])
    expect(issue).to.include({ Cause: 'webhook-failing', Reason: 'status 401', Count: 1 })
    receiver.answer(() => ({ status: 200 }))
    await session.post('/webhook', { WebhookURL: receiver.url })
    await none()
    await session.post('/webhook', { WebhookURL: '' })
  })

  it('names a key that expires once, though every node knows it', async () => {
    const body = { Name: 'shop system', Scopes: ['read'], AllSessions: true, ExpiresIn: 86_400 }
    const { data, error } = await node('a').post('/keys', body, admin)
    expect(error).to.equal(undefined)
    const created = Date.now() - 86_400_000
    await look.raw(
      'UPDATE ??.keys_keys SET created_at = ?, expires_at = ?, changed_at = changed_at + 1 WHERE id = ?',
      [database?.databaseSchema ?? '', created, Date.now() + 3_600_000, data.Id],
    )
    const [issue, ...more] = await everywhere((all) => all.length === 1, 'one')
    expect(more).to.deep.equal([])
    expect(issue).to.include({ Cause: 'key-expiring', Subject: 'shop system', Count: 0 })
    expect(await node('c').call('DELETE', `/keys/${data.Id}`, { headers: admin })).to.include({ status: 200 })
    await none()
  })

  it('says on which node a check fails', async () => {
    problems.set('b', 'the CRM is away')
    const [one] = await everywhere((all) => all.length === 1, 'one')
    expect(one).to.deep.include({ Cause: 'check-failing', Subject: 'crm', Count: 0, Nodes: ['b'] })
    problems.set('c', 'the CRM is away')
    const [both, ...more] = await everywhere((all) => all[0]?.Nodes.length === 2, 'both')
    expect(more).to.deep.equal([])
    expect(both?.Nodes).to.deep.equal(['b', 'c'])
    problems.clear()
    await none()
  })

  it('names a webhook of all sessions once, with what waits on all nodes', async () => {
    const body = { URL: receiver.url, Subscribe: ['Message'] }
    const { data, error } = await node('a').post('/webhook/global', body, admin)
    expect(error).to.equal(undefined)
    receiver.answer(() => ({ status: 410 }))
    const peer = await loose.phones.create({ name: 'Peer' })
    await peer.send(sessions[0]?.phone.account.phone ?? '', { Text: 'hello' })
    const [issue, ...more] = await everywhere((all) => all.length === 1, 'one')
    expect(more).to.deep.equal([])
    expect(issue).to.include({ Cause: 'webhook-gone', Subject: new URL(receiver.url).host, Count: 0 })
    const removal = { body: { Id: data.Id }, headers: admin }
    const removed = await node('b').call('DELETE', '/webhook/global', removal)
    expect(removed, removed.error).to.include({ status: 200 })
    await none()
  })

  it('names a node that ended without notice, until it is back', async () => {
    const schema = database?.databaseSchema ?? ''
    await look.raw(
      "INSERT INTO ??.cluster_nodes (id, name, url, version, heartbeat) VALUES ('d-1', 'd', 'http://127.0.0.1:1', '0', now() - interval '1 minute')",
      [schema],
    )
    const [issue, ...more] = await everywhere((all) => all.length === 1, 'one')
    expect(more).to.deep.equal([])
    expect(issue).to.include({ Cause: 'node-gone', Subject: 'd' })
    await look.raw("DELETE FROM ??.cluster_nodes WHERE id = 'd-1'", [schema])
    await none()
  })

  it('names sessions that no node serves, until one takes them', async () => {
    const rows = (await node('a').get('/server/nodes', admin)).data as { Id: string }[]
    const drain = async (Drain: boolean) => {
      for (const { Id } of rows) {
        const answer = await node('a').post(`/server/nodes/${Id}/drain`, { Drain }, admin)
        expect(answer, answer.error).to.include({ status: 200 })
      }
    }
    await drain(true)
    const all = await everywhere((found) => found.some(({ Count }) => Count === 3), 'three unserved')
    const unserved = all.filter(({ Cause }) => Cause === 'session-unserved')
    expect(unserved).to.have.length(1)
    expect(unserved[0]).to.include({ Reason: 'no node serves it', Count: 3 })
    expect(all.filter(({ Cause }) => Cause.startsWith('session-'))).to.have.length(1)
    await drain(false)
    await none()
  })

  it('says which node did not answer', async () => {
    const schema = database?.databaseSchema ?? ''
    await look.raw(
      "INSERT INTO ??.cluster_nodes (id, name, url, version) VALUES ('e-1', 'e', 'http://127.0.0.1:1', '0')",
      [schema],
    )
    await look.raw(
      "INSERT INTO ??.cluster_renewals (node, expires) VALUES ('e-1', now() + interval '1 minute')",
      [schema],
    )
    await eventually(async () => {
      const { data } = await node('a').get('/issues', admin)
      return JSON.stringify(data.Unanswered) === '["e"]'
    }, 'e does not answer')
    await look.raw("DELETE FROM ??.cluster_nodes WHERE id = 'e-1'", [schema])
    await look.raw("DELETE FROM ??.cluster_renewals WHERE node = 'e-1'", [schema])
    await none()
  })
})
