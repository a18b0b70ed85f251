import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import type { TestGateway } from '../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { type Receiver, startReceiver } from '../support/servers/receiver.ts'
import { admin, linkPhone } from '../support/sessions.ts'
import { clusterDatabase, startNode } from './nodes.ts'

describe('a webhook of all sessions in a cluster', () => {
  let loose: LooseNetwork
  let receiver: Receiver
  const nodes: TestGateway[] = []

  before(async function () {
    const database = clusterDatabase()
    if (!database) return this.skip()
    loose = await startNetwork()
    receiver = await startReceiver()
    for (const name of ['a', 'b']) nodes.push(await startNode({ name, card: loose.card, database }))
  })
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()))
    await receiver?.close()
    await loose?.network.close()
  })

  const hasTask = (node: TestGateway): boolean => node.service('ownership').owns('(global webhooks)')

  it('gets the events of every session at once, wherever it was added and whoever serves them', async () => {
    await eventually(() => nodes.filter(hasTask).length === 1, 'one node with the task')
    const without = nodes.find((node) => !hasTask(node)) as TestGateway
    const added = await without.post('/webhook/global', { URL: receiver.url }, admin)
    expect(added, added.error).to.include({ status: 200 })
    const peer = await loose.phones.create({ name: 'Peer' })
    for (const [index, node] of [...nodes, ...nodes].entries()) {
      const session = await linkPhone(node, await loose.phones.create({ name: `S${index}` }), {
        subscribe: ['Message'],
      })
      await peer.send(session.phone.account.jid, { Text: `greeting ${index}` })
    }
    for (let index = 0; index < 4; index += 1)
      await receiver.wait(({ body }) => body.includes(`greeting ${index}`))
    const sessions: { Id: string }[] = (await without.get('/session/all', admin)).data
    for (const node of nodes) {
      const served = sessions.filter(({ Id }) => node.service('ownership').owns(Id))
      expect(served, 'sessions on both nodes').to.not.have.length(0)
    }
  })

  it('is removed on every node', async () => {
    const idsAt = async (node: TestGateway): Promise<string[]> =>
      (await node.get('/webhook/global', admin)).data.Endpoints.map(({ Id }: { Id: string }) => Id)
    const [a, b] = nodes as [TestGateway, TestGateway]
    const [Id = ''] = await idsAt(a)
    expect(await idsAt(b)).to.deep.equal([Id])
    const removed = await a.call('DELETE', '/webhook/global', { body: { Id }, headers: admin })
    expect(removed, removed.error).to.include({ status: 200 })
    await eventually(async () => (await idsAt(b)).length === 0, 'gone on the other node')
  })
})
