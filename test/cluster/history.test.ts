import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import type { TestGateway } from '../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { admin, type LinkedSession, linkPhone } from '../support/sessions.ts'
import { clusterDatabase, startNode } from './nodes.ts'

interface Change {
  At: string
  From: string
  To: string
}

describe('the history of a session that another node takes over', () => {
  let loose: LooseNetwork
  let first: TestGateway
  let second: TestGateway
  let session: LinkedSession

  before(async function () {
    const database = clusterDatabase()
    if (!database) return this.skip()
    loose = await startNetwork()
    first = await startNode({ name: 'a', card: loose.card, database })
    session = await linkPhone(first, await loose.phones.create({ name: 'Ana' }))
    second = await startNode({ name: 'b', card: loose.card, database })
  })
  after(async () => {
    await Promise.all([first?.stop(), second?.stop()])
    await loose?.network.close()
  })

  const historyAt = async (node: TestGateway): Promise<Change[]> =>
    (await node.get('/session/history', { token: session.token })).data.Changes

  it('goes on behind the changes that came after that node had started', async () => {
    for (let i = 0; i < 2; i += 1) {
      await session.post('/session/disconnect')
      await session.post('/session/connect')
      await session.status({ State: 'open' })
    }
    const before = await historyAt(first)
    await first.post('/server/nodes/a/drain', {}, admin)
    const isOpen = async (): Promise<boolean> =>
      (await second.get('/session/status', { token: session.token })).data?.State === 'open'
    const { Id } = (await second.get('/session/all', admin)).data[0]
    await eventually(async () => second.service('ownership').owns(Id) && (await isOpen()), 'served by b')

    // The state of a session is known before its change is stored.
    await eventually(async () => (await historyAt(second))[0]?.To === 'open', 'its last change')
    const changes = await historyAt(second)
    const known = changes.filter(({ At }) => At <= (before[0]?.At ?? ''))
    expect(known).to.deep.equal(before)
    const times = changes.map(({ At }) => At)
    expect(times).to.deep.equal([...times].sort().reverse())
    expect(changes[0]).to.include({ From: 'connecting', To: 'open' })
    expect(changes.length).to.be.greaterThan(before.length)
  })
})
