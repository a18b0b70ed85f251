import { expect } from 'chai'
import { clusterDatabase, startNode } from '../../cluster/nodes.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'
import { admin } from '../../support/sessions.ts'

describe('wrong tokens at two nodes', () => {
  let loose: LooseNetwork
  const nodes: TestGateway[] = []

  before(async function () {
    const database = clusterDatabase()
    if (!database) return this.skip()
    loose = await startNetwork()
    for (const name of ['a', 'b']) nodes.push(await startNode({ name, card: loose.card, database }))
  })
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()))
    await loose?.network.close()
  })

  it('count as if there were one', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 7; i += 1) {
      const node = nodes[i % 2] as TestGateway
      statuses.push((await node.get('/session/all', { admintoken: `wrong token ${i}` })).status)
    }
    expect(statuses).to.deep.equal([401, 401, 401, 401, 401, 429, 429])
    for (const node of nodes) expect(await node.get('/session/all', admin)).to.include({ status: 200 })
  })
})
