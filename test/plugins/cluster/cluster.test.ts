import { expect } from 'chai'
import { loadConfig } from '../../../config/load.ts'
import { clusterDatabase, SECRET, startNode } from '../../cluster/nodes.ts'
import { connected } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { ADMIN, startedGateway, type TestGateway } from '../../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'
import { admin, type LinkedSession, linkPhone, sessionOf } from '../../support/sessions.ts'
import { wamux } from '../../support/wamux.ts'

describe('cluster', () => {
  it('refuses SQLite, and says what to do', async () => {
    const config = { url: 'http://127.0.0.1:1', secret: SECRET }
    const { plugins } = await loadConfig({}, { cluster: { config } })
    const refusal = await startedGateway({ plugins }).catch((error: Error) => error)
    expect(refusal)
      .to.have.property('message')
      .that.matches(/SQLite is for one process; set DATABASE_URL/)
  })
})

describe('two nodes on one PostgreSQL', () => {
  let database: ReturnType<typeof clusterDatabase>
  let loose: LooseNetwork
  let a: TestGateway
  let b: TestGateway
  const sessions: LinkedSession[] = []
  const ownersOf = async (): Promise<Map<string, string>> => {
    const { rows } = await look.raw('SELECT session, node FROM ??.cluster_leases', [
      database?.databaseSchema ?? '',
    ])
    return new Map(rows.map((row: { session: string; node: string }) => [row.session, row.node]))
  }
  let look: ReturnType<typeof connected>

  before(async function () {
    database = clusterDatabase()
    if (!database) return this.skip()
    loose = await startNetwork()
    look = connected(database.databaseUrl)
    a = await startNode({ name: 'a', card: loose.card, database })
    b = await startNode({ name: 'b', card: loose.card, database })
  })
  after(async () => {
    await Promise.all([a?.stop(), b?.stop()])
    await loose?.network.close()
    await look?.destroy()
  })

  it('link and serve sessions, whichever of them is asked', async () => {
    for (const [index, name] of ['Ana', 'Ben', 'Cid'].entries()) {
      const phone = await loose.phones.create({ name })
      sessions.push(await linkPhone(index % 2 ? b : a, phone))
    }
    const peer = await loose.phones.create({ name: 'Peer' })
    for (const { token } of sessions)
      for (const node of [a, b]) {
        const sent = await node.post('/send/text', { Phone: peer.account.phone, Body: 'hello' }, { token })
        expect(sent, sent.error).to.include({ status: 200 })
      }
    await eventually(() => peer.messages().length === 6, 'six messages on the phone')
    const owners = [...(await ownersOf()).values()]
    expect(owners).to.have.length(3)
    expect(owners).to.not.include(null)
  })

  it('leave a task that one does for all to one of them', async () => {
    const doers = (): number => [a, b].filter((node) => node.service('ownership').owns('(retention)')).length
    await eventually(() => doers() === 1, 'one node with the tasks')
  })

  it('list themselves and what they serve', async () => {
    const { data } = await a.get('/server/nodes', admin)
    expect(data.map(({ Name, State }: { Name: string; State: string }) => [Name, State])).to.deep.equal([
      ['a', 'ready'],
      ['b', 'ready'],
    ])
    expect(data.reduce((sum: number, { Sessions }: { Sessions: number }) => sum + Sessions, 0)).to.equal(3)
  })

  it('are listed by `wamux nodes`, which drains one by its name and says why it could not', async () => {
    const nodes = (...args: string[]) =>
      wamux(['nodes', '--url', b.url, ...args], { WAMUX_ADMIN_TOKEN: ADMIN })
    const listed = await nodes()
    expect(listed.err).to.equal('')
    expect(listed.out).to.match(/^Name +State +Sessions .*\na +ready .*\nb +ready .*\n$/)
    const unknown = await nodes('--drain', 'nope')
    expect(unknown).to.include({ code: 1, err: `${b.url} answered 404: Node nope not found\n` })
    expect((await nodes('--drain', 'a')).out).to.match(/\na +draining /)
    expect((await nodes('--resume', 'a')).out).to.match(/\na +ready /)
  })

  it('show every session in the state of its link, whichever of them is asked', async () => {
    for (const node of [a, b]) {
      const { data, error } = await node.get('/session/all', admin)
      expect(
        data?.map(({ LoggedIn }: { LoggedIn: boolean }) => LoggedIn),
        error,
      ).to.deep.equal([true, true, true])
    }
  })

  it('refuse a process that would use the database alone', async () => {
    const refusal = await startedGateway({ plugins: [], ...(database as object) }).catch(
      (error: Error) => error,
    )
    expect(refusal).to.have.property('code', 'DATABASE_LOCKED')
  })

  it('hand sessions over when one of them drains, and none is unserved for long', async () => {
    const rows = (await a.get('/server/nodes', admin)).data as { Id: string; Name: string }[]
    const nodeA = rows.find(({ Name }) => Name === 'a')?.Id ?? ''
    const drained = await b.post(`/server/nodes/${nodeA}/drain`, {}, admin)
    expect(drained, drained.error).to.include({ status: 200 })
    await eventually(async () => ![...(await ownersOf()).values()].includes(nodeA), 'given away')
    for (const { token, phone } of sessions) await sessionOf(a, token, phone).status({ LoggedIn: true })
    await b.post(`/server/nodes/${nodeA}/drain`, { Drain: false }, admin)
  })

  it('are replaced by the other when one of them stops', async () => {
    await eventually(async () => {
      const { data } = await a.get('/server/nodes', admin)
      return data.every(({ State }: { State: string }) => State === 'ready')
    }, 'ready again')
    const began = performance.now()
    await b.stop()
    for (const session of sessions) {
      await sessionOf(a, session.token, session.phone).status({ LoggedIn: true })
    }
    expect(performance.now() - began).to.be.below(10_000)
  })
})
