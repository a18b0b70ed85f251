import { expect } from 'chai'
import chatLog from '../../plugins/chat-log/index.ts'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../support/eventually.ts'
import type { TestGateway } from '../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { type LinkedSession, linkPhone } from '../support/sessions.ts'
import { clusterDatabase, startNode } from './nodes.ts'

describe('chats and messages read back on two nodes', () => {
  const database = clusterDatabase()
  let loose: LooseNetwork
  let owner: TestGateway
  let other: TestGateway
  let session: LinkedSession
  let ana: Phone

  before(async function () {
    if (!database) return this.skip()
    loose = await startNetwork()
    const start = (name: string) => startNode({ name, card: loose.card, database, extra: [chatLog] })
    owner = await start('a')
    session = await linkPhone(owner, await loose.phones.create({ name: 'Shop' }))
    other = await start('b')
    ana = await loose.phones.create({ name: 'Ana' })
  })
  after(async () => {
    await Promise.all([owner?.stop(), other?.stop()])
    await loose?.network.close()
  })

  const messages = async (node: TestGateway): Promise<{ Message: { text: string } }[]> => {
    const answer = await node.get(`/chats/${ana.account.phone}/messages`, session.headers)
    expect(answer.status, answer.error).to.equal(200)
    return answer.data.Messages
  }
  const texts = async (node: TestGateway): Promise<string[]> =>
    (await messages(node)).map(({ Message }) => Message.text).reverse()
  const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `message ${at + 1}`)

  it('are the same at the node that does not serve the session', async () => {
    await ana.send(session.phone.account.phone, { Text: 'message 1' })
    await eventually(async () => (await texts(other)).length === 1, 'indexed')
    const sent = await other.post(
      '/send/text',
      { Phone: ana.account.phone, Body: 'message 2' },
      session.headers,
    )
    expect(sent.status, sent.error).to.equal(200)
    await eventually(async () => (await texts(other)).length === 2, 'indexed')
    expect(await texts(other)).to.deep.equal(numbered(2))
    expect(await messages(other)).to.deep.equal(await messages(owner))
    const lists = await Promise.all([owner, other].map((node) => node.get('/chats', session.headers)))
    expect(lists[0]?.data).to.deep.equal(lists[1]?.data)
  })

  it('have each message once and in order where the node with the session stops under traffic', async () => {
    const sending = (async () => {
      for (const Text of numbered(30).slice(2)) await ana.send(session.phone.account.phone, { Text })
    })()
    await eventually(async () => (await texts(other)).length > 5, 'some are indexed')
    await owner.stop()
    await sending
    await eventually(async () => (await texts(other)).length >= 30, 'all are indexed', {
      progress: () => texts(other),
    })
    expect(await texts(other)).to.deep.equal(numbered(30))
    const found = await other.get('/chats/search?text=message', session.headers)
    expect(found.data.Messages).to.have.length(30)
  })
})
