import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { admin } from '../support/sessions.ts'
import { clusterDatabase, type Pair, startPair } from './nodes.ts'

describe('a routine move of a session', () => {
  let pair: Pair
  before(async function () {
    const database = clusterDatabase()
    if (!database) return this.skip()
    pair = await startPair(database)
  })
  after(() => pair?.stop())

  it('lets a send under way wait for the new node, which sends it once', async () => {
    const { loose, owner, other, session } = pair
    const peer = await loose.phones.create({ name: 'Peer' })
    const own = { Phone: peer.account.phone, Body: 'under way' }
    const fault = (Fault: string): void =>
      loose.network.fault({ Fault, Phone: session.phone.account.phone } as { Fault: string })
    // A receipt proves the message as well as an ack.
    for (const name of ['holdReceipts', 'holdAcks']) fault(name)
    const sending = owner.post('/send/text', own, { token: session.token })
    await eventually(() => peer.messages().length === 1, 'on its way')
    const { data } = await other.get('/server/nodes', admin)
    const { Id } = data.find(({ Name }: { Name: string }) => Name === 'a')
    await owner.post(`/server/nodes/${Id}/drain`, {}, admin)
    await eventually(async () => {
      const nodes = (await other.get('/server/nodes', admin)).data
      return nodes.find(({ Name }: { Name: string }) => Name === 'b').Sessions === 1
    }, 'moved')
    for (const name of ['releaseReceipts', 'releaseAcks']) fault(name)
    const sent = await sending
    expect(sent, sent.error).to.include({ status: 200 })
    expect(peer.messages()).to.have.length(1)
  })
})
