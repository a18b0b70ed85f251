import { expect } from 'chai'
import { clusterDatabase, startNode } from '../../cluster/nodes.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'
import { admin } from '../../support/sessions.ts'

describe('a node with the address of another one', () => {
  const database = clusterDatabase()
  let loose: LooseNetwork
  before(async function () {
    if (!database) return this.skip()
    loose = await startNetwork()
  })
  after(() => loose?.network.close())

  it('is refused while that one runs, and names it', async () => {
    if (!database) return
    const node = await startNode({ name: 'a', card: loose.card, database })
    try {
      const twin = { name: 'b', card: loose.card, database, url: `${node.url}/` }
      const refusal = await startNode(twin).catch((error: Error) => error)
      expect(refusal)
        .to.have.property('message')
        .that.matches(/the running node a has too/)
      expect((await node.get('/server/nodes', admin)).data).to.have.length(1)
    } finally {
      await node.stop()
    }
    const next = await startNode({ name: 'b', card: loose.card, database, url: node.url })
    await next.stop()
  })
})
