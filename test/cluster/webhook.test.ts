import { expect } from 'chai'
import type { Knex } from 'knex'
import { connected } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import type { TestGateway } from '../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { type Receiver, startReceiver } from '../support/servers/receiver.ts'
import { admin, linkPhone } from '../support/sessions.ts'
import { clusterDatabase, startNode } from './nodes.ts'

describe('the webhook of a session that changes its node', () => {
  let database: ReturnType<typeof clusterDatabase>
  let loose: LooseNetwork
  let receiver: Receiver
  let look: Knex
  const nodes: TestGateway[] = []

  before(async function () {
    database = clusterDatabase()
    if (!database) return this.skip()
    loose = await startNetwork()
    receiver = await startReceiver()
    look = connected(database.databaseUrl)
    for (const name of ['a', 'b']) nodes.push(await startNode({ name, card: loose.card, database }))
  })
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()))
    await receiver?.close()
    await loose?.network.close()
    await look?.destroy()
  })

  it('is served by a node that has never known the sessions of the others', async () => {
    const [a, b] = nodes as [TestGateway, TestGateway]
    const moved = await linkPhone(a, await loose.phones.create({ name: 'Moved' }), { subscribe: ['Message'] })
    const leases = () => look('cluster_leases').withSchema(database?.databaseSchema ?? '')
    const { session } = await leases().first('session')
    const other = (await a.post('/session/init', {}, admin)).data
    const { data } = await a.get('/server/nodes', admin)
    const move = (session: string, to: string) => {
      const desired = data.find(({ Name }: { Name: string }) => Name === to).Id
      const reserved = look.raw("now() + interval '1 minute'")
      return leases().where({ session }).update({ node: null, desired, reserved })
    }
    // It stays where it is, and has an endpoint that node b reads with those of the session that it gains.
    const { claim, owns: isOf } = a.service('ownership')
    await eventually(async () => {
      if ((await claim?.(other.Id)) || isOf(other.Id)) return true
      // Node b was first.
      await move(other.Id, 'a')
      return false
    }, 'the other one is of node a')
    for (const token of [moved.token, other.Token]) {
      const set = await a.post('/webhook', { WebhookURL: receiver.url }, { token })
      expect(set, set.error).to.include({ status: 200 })
    }
    const added = await a.post('/webhook/endpoints', { URL: `${receiver.url}second` }, { token: moved.token })
    expect(added, added.error).to.include({ status: 200 })
    await move(session, 'b')
    const owns = (node: TestGateway): boolean => node.service('ownership').owns(session)
    await eventually(() => owns(b) && !owns(a), 'node b serves it, and node a knows')
    const peer = await loose.phones.create({ name: 'Peer' })
    await peer.send(moved.phone.account.jid, { Text: 'to the new node' })
    for (const isSecond of [false, true])
      await receiver.wait(
        ({ body, path }) => body.includes('to the new node') && path.includes('second') === isSecond,
      )
  })
})
