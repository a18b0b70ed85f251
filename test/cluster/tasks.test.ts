import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import type { TestGateway } from '../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { admin } from '../support/sessions.ts'
import { clusterDatabase, startNode } from './nodes.ts'

const TASKS = ['(retention)', '(audit retention)', '(global webhooks)']

describe('what one node does for all', () => {
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

  const doersOf = (task: string): TestGateway[] =>
    nodes.filter((node) => node.service('ownership').owns(task))

  it('is done by another one when that stops', async () => {
    for (const task of TASKS) await eventually(() => doersOf(task).length === 1, `one node has ${task}`)
    const [doer] = doersOf('(retention)') as [TestGateway]
    nodes.splice(nodes.indexOf(doer), 1)
    // Both append to the chain of the audit log.
    await Promise.all(
      [doer, ...nodes].flatMap((node) =>
        [1, 2, 3].map((i) => node.post('/session/init', { Name: `of ${node.url} ${i}` }, admin)),
      ),
    )
    await doer.stop()
    for (const task of TASKS) await eventually(() => doersOf(task).length === 1, `the other one has ${task}`)
  })

  it('leaves the audit log one chain', async () => {
    const audit = nodes[0]?.service('audit')
    const entries = (await audit?.after(0, 100)) ?? []
    expect(entries.filter(({ action }) => action === 'session.init').length).to.be.greaterThan(5)
    expect(await audit?.verify()).to.have.property('isWhole', true)
  })
})
