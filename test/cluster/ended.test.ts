import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import type { TestGateway } from '../support/gateway.ts'
import { readMetrics } from '../support/metrics.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { admin, type LinkedSession, linkPhone } from '../support/sessions.ts'
import { clusterDatabase, startNode } from './nodes.ts'

describe('a session that is logged out, and that another node takes over', () => {
  let loose: LooseNetwork
  let first: TestGateway
  let second: TestGateway
  let session: LinkedSession

  before(async function () {
    const database = clusterDatabase()
    if (!database) return this.skip()
    loose = await startNetwork()
    first = await startNode({ name: 'a', card: loose.card, database })
    const phone = await loose.phones.create({ name: 'Ana' })
    session = await linkPhone(first, phone)
    second = await startNode({ name: 'b', card: loose.card, database })
    const [companion] = phone.view()['Companions'] as { JID: string }[]
    await phone.act({ Action: 'unlink', Companion: companion?.JID ?? '' })
    await session.status({ State: 'logged-out' })
  })
  after(async () => {
    await Promise.all([first?.stop(), second?.stop()])
    await loose?.network.close()
  })

  const rowAt = async (node: TestGateway): Promise<Record<string, string>> =>
    (await node.get('/session/summary', admin)).data.Sessions[0]
  const shownBy = async (node: TestGateway): Promise<number | undefined> =>
    (await readMetrics(node.url, admin)).value('wamux_session_ended', { state: 'logged-out', name: 'Ana' })

  it('is logged out on every node, and counted by the one that serves it', async () => {
    const { Id = '', Reason } = await rowAt(first)
    // It is shown by its own node as soon as the link has ended, and stored then.
    const elsewhere = await eventually(async () => {
      const row = await rowAt(second)
      return row['State'] === 'logged-out' && row
    }, 'logged out as the other node has it')
    expect(elsewhere).to.include({ Cause: 'logged-out', Reason })
    expect(await shownBy(first)).to.equal(1)
    expect(await shownBy(second)).to.equal(undefined)

    await first.post('/server/nodes/a/drain', {}, admin)
    await eventually(() => second.service('ownership').owns(Id), 'served by b')
    const status = await second.get('/session/status', { token: session.token })
    expect(status.data).to.include({ State: 'logged-out', Reason })
    expect(await rowAt(second)).to.include({ State: 'logged-out', Cause: 'logged-out', Reason })
    expect(await shownBy(first)).to.equal(undefined)
    expect(await shownBy(second)).to.equal(1)
  })
})
