import { expect } from 'chai'
import { clusterDatabase, startNode } from '../../cluster/nodes.ts'
import { eventually } from '../../support/eventually.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, linkPhone } from '../../support/sessions.ts'
import { type Crm, crm } from '../issues/crm.ts'
import { allTold, SECRET, told, waitTold } from '../issues/told.ts'

const NAMES = ['a', 'b', 'c'] as const
type Name = (typeof NAMES)[number]

describe('announcements of issues by three nodes on one PostgreSQL', function () {
  this.timeout(240_000)
  let database: ReturnType<typeof clusterDatabase>
  let loose: LooseNetwork
  let operator: Receiver
  const nodes = new Map<Name, TestGateway>()
  const sources = new Map<Name, Crm>()
  const sessions: LinkedSession[] = []
  const node = (name: Name): TestGateway => nodes.get(name) as TestGateway
  const source = (name: Name): Crm => sources.get(name) as Crm

  async function start(name: Name): Promise<void> {
    const one = crm()
    sources.set(name, one)
    const settings = { issues: { seconds: 0.1, settleSeconds: 1, url: operator.url, secret: SECRET } }
    const database = clusterDatabaseOf()
    nodes.set(name, await startNode({ name, card: loose.card, database, extra: [one.plugin], settings }))
  }
  const clusterDatabaseOf = () => database as NonNullable<typeof database>

  before(async function () {
    database = clusterDatabase()
    if (!database) return this.skip()
    loose = await startNetwork()
    operator = await startReceiver()
    for (const name of NAMES) await start(name)
    for (const [index, name] of ['Ana', 'Ben', 'Cid'].entries()) {
      const phone = await loose.phones.create({ name })
      sessions.push(await linkPhone(node(NAMES[index] as Name), phone))
    }
  })
  after(async () => {
    await Promise.all([...nodes.values()].map((one) => one.stop()))
    await operator?.close()
    await loose?.network.close()
  })

  function since(): () => string[] {
    const before = operator.deliveries.length
    return () => allTold(operator).slice(before)
  }
  /** Every node has looked, so what was to be told is queued, and the mark is told behind it. */
  async function mark(by: Name): Promise<void> {
    const began = NAMES.map((name) => source(name).asked)
    await eventually(
      () => NAMES.every((name, index) => source(name).asked > (began[index] ?? 0) + 3),
      'every node has looked',
    )
    const subject = `mark ${operator.deliveries.length}`
    source(by).set({ cause: 'mark', subject })
    await eventually(() => allTold(operator).includes(`opened mark ${subject}`), 'the mark is told')
    source(by).set()
    await eventually(() => allTold(operator).includes(`closed mark ${subject}`), 'the mark is closed')
  }
  const crmOnly = (lines: readonly string[]): string[] => lines.filter((line) => line.includes('crm'))

  it('are made once of what several nodes report, until none does', async () => {
    const seen = since()
    source('b').set({})
    source('c').set({})
    await waitTold(operator, 'opened', 'crm-down')
    await mark('a')
    source('b').set()
    await mark('a')
    expect(crmOnly(seen())).to.deep.equal(['opened crm-down crm'])
    source('c').set()
    const closed = await waitTold(operator, 'closed', 'crm-down')
    expect(closed.Nodes).to.deep.equal(['b', 'c'])
    await mark('a')
    expect(crmOnly(seen())).to.deep.equal(['opened crm-down crm', 'closed crm-down crm'])
  })

  it('name each session once, whichever node serves it, and its log has each change once', async () => {
    const before = operator.deliveries.length
    const names = (state: string): string[] =>
      operator.deliveries
        .slice(before)
        .map(told)
        .filter(({ State, Cause }) => State === state && Cause === 'session-logged-out')
        .flatMap(({ Sessions }) => Sessions.map(({ Name }) => Name))
        .sort()
    for (const { phone } of sessions) {
      const Phone = phone.account.phone
      loose.network.fault({ Phone, Fault: 'streamError', Code: 401, Conflict: 'device_removed' })
    }
    await eventually(() => names('opened').length >= 3, 'three opened')
    for (const session of sessions) {
      expect(await session.post('/session/connect', { Immediate: false })).to.include({ status: 200 })
      await session.phone.scan((await session.get('/session/qr')).data.QRCode)
      await session.status({ LoggedIn: true })
    }
    await eventually(() => names('closed').length >= 3, 'three closed')
    await mark('b')
    for (const state of ['opened', 'closed']) expect(names(state)).to.deep.equal(['Ana', 'Ben', 'Cid'])
    for (const session of sessions) {
      const { data } = await session.get('/events?limit=1000&class=Issue')
      const changes = data.Events.map(({ event }: { event: Record<string, string> }) => event)
        .filter(({ Cause }: Record<string, string>) => Cause === 'session-logged-out')
        .map(({ State }: Record<string, string>) => State)
      expect(changes).to.deep.equal(['opened', 'closed'])
    }
  })

  it('tell of a session that another node reports, and nothing of a node that drains', async () => {
    const all = (await node('a').get('/session/all', admin)).data as { Id: string; Name: string }[]
    const nodesOf = (await node('a').get('/server/nodes', admin)).data as { Id: string; Name: string }[]
    const drained = nodesOf.find(({ Name }) => Name === 'c')?.Id
    const drain = (Drain: boolean) => node('a').post(`/server/nodes/${drained}/drain`, { Drain }, admin)
    const seen = since()
    expect(await drain(true)).to.include({ status: 200 })
    // Whoever serves it, the other one does not.
    const report = { cause: 'crm-late', session: all.find(({ Name }) => Name === 'Ana')?.Id ?? '' }
    for (const name of ['a', 'b'] as const) source(name).set(report)
    await eventually(() => seen().includes('opened crm-late crm'), 'opened')
    await eventually(async () => {
      const { data } = await node('c').get('/issues', admin)
      return data.Issues.some(({ Cause }: Record<string, string>) => Cause === 'check-failing')
    }, 'it says that it drains')
    const looks = source('a').asked
    await eventually(() => source('a').asked > looks + 10, 'a second of looks', {
      progress: () => source('a').asked,
    })
    for (const name of ['a', 'b'] as const) source(name).set()
    await eventually(() => seen().includes('closed crm-late crm'), 'closed')
    expect(await drain(false)).to.include({ status: 200 })
    await mark('b')
    const lines = seen().filter((line) => !line.includes('mark'))
    expect(lines).to.deep.equal(['opened crm-late crm', 'closed crm-late crm'])
    const { data } = await (sessions[0] as LinkedSession).get('/events?limit=1000&class=Issue')
    const changes = data.Events.map(({ event }: { event: Record<string, string> }) => event)
    expect(changes.filter(({ Cause }: Record<string, string>) => Cause === 'crm-late')).to.have.length(2)
  })

  it('leave open what a node reported that does not answer, until it is back', async () => {
    const seen = since()
    source('c').set({})
    await waitTold(operator, 'opened', 'crm-down')
    await eventually(() => crmOnly(seen()).length === 1, 'told')
    await node('c').stop()
    nodes.delete('c')
    // The others tell of an issue from its begin to its end, which takes longer than `settleSeconds`.
    source('a').set({ cause: 'other' })
    await waitTold(operator, 'opened', 'other')
    source('a').set()
    await waitTold(operator, 'closed', 'other')
    expect(crmOnly(seen())).to.deep.equal(['opened crm-down crm', 'opened other crm', 'closed other crm'])
    await start('c')
    await eventually(() => seen().includes('closed crm-down crm'), 'closed')
  })

  it('go on when the node that made them is gone', async () => {
    const seen = since()
    const [first] = (await node('b').get('/server/nodes', admin)).data
      .map(({ Id, Name }: Record<string, string>) => ({ Id, Name }))
      .sort((x: { Id: string }, y: { Id: string }) => (x.Id < y.Id ? -1 : 1))
    const others = NAMES.filter((name) => name !== first.Name)
    const [reporter] = others as [Name]
    source(reporter).set({ cause: 'crm-gone' })
    await eventually(() => seen().includes('opened crm-gone crm'), 'opened')
    await node(first.Name).stop()
    nodes.delete(first.Name)
    source(reporter).set()
    await eventually(() => seen().includes('closed crm-gone crm'), 'closed')
    expect(seen().filter((line) => line.includes('crm-gone'))).to.deep.equal([
      'opened crm-gone crm',
      'closed crm-gone crm',
    ])
  })
})
