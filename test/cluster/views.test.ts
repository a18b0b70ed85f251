import { expect } from 'chai'
import type { Calls } from '../support/calls.ts'
import { eventually } from '../support/eventually.ts'
import type { TestGateway } from '../support/gateway.ts'
import { readMetrics } from '../support/metrics.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import type { GatewayProcess } from '../support/process.ts'
import { createPostgres, type OwnDatabase } from '../support/servers/postgres.ts'
import { admin, type LinkedSession, linkPhone } from '../support/sessions.ts'
import { startNode } from './nodes.ts'
import { createPlace, type Place } from './processes.ts'

const SERVER = process.env['TEST_DATABASE_URL'] ?? ''
const LEASE_MS = 15_000

interface Summary {
  Id: string
  Name: string
  Node: string
  State: string
  Reason: string
  Since: string
}

/** What an operator sees must not depend on the node that the balancer chose. */
describe('what three nodes show of all sessions and of each other', function () {
  this.timeout(180_000)
  let loose: LooseNetwork
  let own: OwnDatabase
  let a: TestGateway
  let b: TestGateway
  let place: Place
  let c: GatewayProcess
  /** Served by c, which starts first. */
  let far: LinkedSession
  let farId: string
  const live: (Calls & { readonly url: string })[] = []

  before(async function () {
    if (!SERVER) return this.skip()
    own = await createPostgres(SERVER)
    loose = await startNetwork()
    const database = { databaseUrl: own.url }
    place = await createPlace({ name: 'c', card: loose.card, databaseUrl: own.url, leaseMs: LEASE_MS })
    c = await place.start()
    far = await linkPhone(c, await loose.phones.create({ name: 'Far' }))
    a = await startNode({ name: 'a', card: loose.card, database, leaseMs: LEASE_MS })
    b = await startNode({ name: 'b', card: loose.card, database, leaseMs: LEASE_MS })
    await linkPhone(a, await loose.phones.create({ name: 'Near' }))
    live.push(a, b, c)
    farId = (await a.get('/session/all', admin)).data[0].Id
  })
  after(async () => {
    await Promise.all([a?.stop(), b?.stop(), c?.end('SIGKILL')])
    for (const line of Object.values(place?.lines ?? {})) await line.close()
    await loose?.network.close()
    await own?.drop()
  })

  /** From each live node; the parts that are measured at the moment left out. */
  const fromEach = (path: string): Promise<unknown[]> =>
    Promise.all(
      live.map(async (node) => {
        const { data, error } = await node.get(path, admin)
        expect(error).to.equal(undefined)
        return JSON.parse(
          JSON.stringify(data, (name, value) =>
            ['Day', 'Milliseconds', 'LastStanza'].includes(name) ? undefined : value,
          ),
        ) as unknown
      }),
    )
  const same = async (path: string): Promise<unknown> => {
    const [first, ...others] = await fromEach(path)
    for (const other of others) expect(other, path).to.deep.equal(first)
    return first
  }
  const summaries = async () =>
    (await same('/session/summary')) as { Sessions: Summary[]; Unanswered: string[] }
  const rowOf = ({ Sessions }: { Sessions: Summary[] }): Summary =>
    Sessions.find(({ Id }) => Id === farId) as Summary

  it('are the same summaries, each with the node of the session', async () => {
    const { Sessions, Unanswered } = await eventually(async () => {
      const found = await summaries()
      return found.Sessions.every(({ State }) => State === 'open') && found
    }, 'all are open')
    expect(Unanswered).to.deep.equal([])
    expect(Sessions.map(({ Name }) => Name)).to.deep.equal(['Far', 'Near'])
    expect(rowOf({ Sessions }).Node).to.equal('c')
    expect(Sessions.map(({ Node }) => Node)).to.not.include('')
  })

  it('is one summary, for the session of a token', async () => {
    for (const node of live) {
      const { data } = await node.get('/session/summary', { token: far.token })
      expect(data.Sessions).to.have.length(1)
      expect(data.Sessions[0]).to.include({ Node: 'c', State: 'open' })
    }
  })

  it('are the same sessions, consumers and health', async () => {
    expect(await same('/session/all')).to.have.length(2)
    const { Unanswered } = (await same('/server/consumers')) as { Unanswered: string[] }
    expect(Unanswered).to.deep.equal([])
    const { Nodes } = (await same('/server/health')) as { Nodes: { Name: string; State: string }[] }
    expect(Nodes.map(({ Name, State }) => [Name, State])).to.deep.equal([
      ...[
        ['a', 'ready'],
        ['b', 'ready'],
        ['c', 'ready'],
      ],
    ])
  })

  it('are metrics of which `wamux_sessions` sums to the number of sessions', async () => {
    const each = await Promise.all(live.map(({ url }) => readMetrics(url, admin)))
    const counts = each.map((of) =>
      of.all.filter(({ name }) => name === 'wamux_sessions').reduce((sum, { value }) => sum + value, 0),
    )
    expect(
      counts.reduce((sum, count) => sum + count, 0),
      counts.join(),
    ).to.equal(2)
    expect(counts[2]).to.be.greaterThan(0)
  })

  it('are the metrics of any node, through any other', async () => {
    for (const node of live) {
      const answer = await fetch(`${node.url}/server/nodes/c/metrics`, { headers: admin })
      expect(await answer.text()).to.match(/^wamux_sessions\{state="open"\} [12]$/m)
      expect((await node.get('/server/nodes/nobody/metrics', admin)).status).to.equal(404)
    }
  })

  it('are changes of a session that another node serves, as a stream, and the loss of that node', async () => {
    const end = new AbortController()
    const read = await streamOf(a.url, end.signal)
    // Each has reached every other before the first event.
    expect(await read()).to.deep.equal({ Sessions: [], Deleted: [] })
    await far.post('/session/disconnect')
    const away = await until(read, ({ Sessions }) => Sessions.some(({ State }) => State === 'offline'))
    expect(away.Sessions[0]).to.include({ Id: farId, State: 'offline' })
    await far.post('/session/connect', { Immediate: false })
    await until(read, ({ Sessions }) => Sessions.some(({ State }) => State === 'open'))
    await c.end('SIGKILL')
    live.pop()
    await until(read, ({ Sessions, Deleted }) => Sessions.length + Deleted.length === 0)
    end.abort()
  })

  it('names a node that does not answer, and calls its sessions unknown', async () => {
    const found = await summaries()
    expect(found.Unanswered).to.deep.equal(['c'])
    expect(rowOf(found)).to.include({ State: 'unknown', Node: 'c', Since: '' })
    expect(rowOf(found).Reason).to.include('node c')
    const rows = (await same('/session/all')) as Summary[]
    expect(rows.find(({ Id }) => Id === farId)).to.include({ State: 'unknown', LoggedIn: false })
    expect(await same('/server/consumers')).to.have.deep.property('Unanswered', ['c'])
    const { Nodes } = (await same('/server/health')) as {
      Nodes: { Name: string; State: string; Why: string }[]
    }
    expect(Nodes.map(({ State }) => State)).to.deep.equal(['ready', 'ready', 'unknown'])
    expect(Nodes[2]?.Why).to.not.equal('')
  })

  it('is whole again once the others have taken its sessions over', async () => {
    const { Sessions, Unanswered } = await eventually(
      async () => {
        const found = await summaries()
        return found.Sessions.every(({ State }) => State === 'open') && found
      },
      'all are open',
      { quietMs: 3 * LEASE_MS },
    )
    expect(Unanswered).to.deep.equal([])
    expect(['a', 'b']).to.include(rowOf({ Sessions }).Node)
    // It has not said that it left.
    const { Nodes } = (await same('/server/health')) as {
      Nodes: { Name: string; State: string; Why: string }[]
    }
    expect(Nodes[2]).to.include({ Name: 'c', State: 'unknown' })
  })
})

interface Change {
  Sessions: Summary[]
  Deleted: string[]
}

/** Reads the next event of the stream of summaries. */
async function streamOf(url: string, signal: AbortSignal): Promise<() => Promise<Change>> {
  const response = await fetch(`${url}/session/summary/stream`, { headers: admin, signal })
  const chunks = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return async () => {
    for (;;) {
      const [frame = '', ...rest] = text.split('\n\n')
      if (rest.length === 0) {
        const { value = '', done } = (await chunks?.read()) ?? { done: true }
        if (done) throw new Error('the stream has ended')
        text += value
        continue
      }
      text = rest.join('\n\n')
      if (frame.startsWith('data: ')) return JSON.parse(frame.slice(6)) as Change
    }
  }
}

async function until(read: () => Promise<Change>, holds: (change: Change) => boolean): Promise<Change> {
  for (;;) {
    const change = await read()
    if (holds(change)) return change
  }
}
