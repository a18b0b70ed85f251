import { expect } from 'chai'
import { definePlugin, type LogEvent } from 'wamux/plugin'
import type { OutgoingMessage } from '../../plugins/messaging/index.ts'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../support/eventually.ts'
import type { TestGateway } from '../support/gateway.ts'
import { readMetrics } from '../support/metrics.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { admin, type LinkedSession, linkPhone } from '../support/sessions.ts'
import { clusterDatabase, startNode } from './nodes.ts'

describe('a send to a node that does not serve the session', () => {
  const events: LogEvent[] = []
  const signature = definePlugin({
    name: 'signature',
    version: '1.0.0',
    api: '^1.0.0',
    on: { Message: (event) => void events.push(event) },
    contributes: { messageHooks: () => ({ beforeSend: sign }) },
  })
  let loose: LooseNetwork
  let owner: TestGateway
  let other: TestGateway
  let session: LinkedSession
  let peer: Phone

  before(async function () {
    const database = clusterDatabase()
    if (!database) return this.skip()
    loose = await startNetwork()
    const node = { card: loose.card, database, extra: [signature] }
    owner = await startNode({ name: 'a', ...node })
    session = await linkPhone(owner, await loose.phones.create({ name: 'Ana' }))
    other = await startNode({ name: 'b', ...node })
    peer = await loose.phones.create({ name: 'Peer' })
  })
  after(async () => {
    await Promise.all([owner?.stop(), other?.stop()])
    await loose?.network.close()
  })

  const send = (node: TestGateway, body: object, headers: Record<string, string> = {}) =>
    node.post('/send/text', { Phone: peer.account.phone, ...body }, { token: session.token, ...headers })
  const forwarded = async (node: TestGateway): Promise<number> =>
    (await readMetrics(node.url, admin)).value('wamux_cluster_forwarded_total') ?? 0
  const texts = (): string[] => peer.messages().map(({ raw }) => raw.extendedTextMessage?.text ?? '')

  it('is stored there, and answered as by the owner, without a request to it', async () => {
    const answer = await send(other, { Body: 'from the other node' })
    expect(answer, answer.error).to.include({ status: 200 })
    expect(answer.data).to.include({ Details: 'Sent', Chat: peer.account.jid })
    expect(texts()).to.deep.equal(['from the other node'])
    expect(await forwarded(other)).to.equal(0)
  })

  it('is the same send under its id on every node', async () => {
    const headers = { 'Idempotency-Key': 'order-7' }
    const [first, second] = await Promise.all(
      [owner, other].map((node) => send(node, { Body: 'once' }, headers)),
    )
    const again = await send(other, { Body: 'once' }, headers)
    for (const answer of [first, second]) expect(answer?.status, answer?.error).to.equal(200)
    expect(again).to.include({ status: 200 })
    expect((await send(other, { Body: 'another' }, headers)).status).to.equal(422)
    expect(texts().filter((text) => text === 'once')).to.have.length(1)
  })

  it('has the disappearing timer of its chat, which its owner knows', async () => {
    const bob = await loose.phones.create({ name: 'Bob' })
    const Chat = session.phone.account.phone
    const { Id } = await bob.act({ Action: 'setTimer', Chat, Data: { Seconds: 86_400 } })
    await eventually(() => events.some(({ body }) => JSON.stringify(body).includes(String(Id))), 'told')
    const { data } = await send(other, { Phone: bob.account.phone, Body: 'hello' })
    const message = await bob.wait(({ id }) => id === data.Id)
    expect(message).to.include({ expiration: 86_400 }).and.not.have.property('willNotDisappear')
  })

  it('is changed by the hooks of plugins once, and keeps what they add', async () => {
    const { data } = await send(other, { Body: 'please sign' })
    expect(texts()).to.include('please sign -- the shop')
    const logged = await eventually(
      () => events.find(({ body }) => JSON.stringify(body).includes(data.Id)),
      'the event of the message',
    )
    expect(logged.body['annotations']).to.deep.equal({ signature: { signed: true } })
  })

  it('is refused as by the owner', async () => {
    const unknown = { Phone: '5511900000000', Body: 'x', Id: 'unknown' }
    for (const node of [other, owner, other])
      expect(await send(node, unknown)).to.include({
        status: 404,
        error: '5511900000000@s.whatsapp.net is not on WhatsApp',
      })
    expect(await send(other, { Body: '' })).to.include({ status: 400 })
  })

  it('keeps its place among those that were accepted before it and after it', async () => {
    const bodies = Array.from({ length: 20 }, (_, i) => `in order ${i}`)
    for (const [i, Body] of bodies.entries()) {
      const answer = await send(i % 3 ? other : owner, { Body }, { Prefer: 'respond-async' })
      expect(answer, answer.error).to.include({ status: 202 })
    }
    await eventually(() => texts().includes('in order 19'), 'all of them')
    expect(texts().filter((text) => text.startsWith('in order'))).to.deep.equal(bodies)
  })

  it('goes to the owner where it needs the link: to upload a file, or to quote', async () => {
    const before = await forwarded(other)
    const quoted = await send(other, { Body: 'reply', ContextInfo: { StanzaId: peer.messages()[0]?.id } })
    expect(quoted, quoted.error).to.include({ status: 200 })
    expect(await forwarded(other)).to.equal(before + 1)
    expect(texts().filter((text) => text === 'reply')).to.have.length(1)
  })

  it('waits for the next owner where the one that it had goes away', async () => {
    const sent = Array.from({ length: 10 }, (_, i) => send(other, { Body: `handed over ${i}` }))
    const stopped = owner.stop()
    sent.push(...Array.from({ length: 10 }, (_, i) => send(other, { Body: `handed over ${10 + i}` })))
    for (const answer of await Promise.all(sent)) expect(answer, answer.error).to.include({ status: 200 })
    await stopped
    const arrived = texts().filter((text) => text.startsWith('handed over'))
    expect(new Set(arrived).size).to.equal(20)
    expect(arrived).to.have.length(20)
  })
})

function sign({ content }: OutgoingMessage) {
  if (!('text' in content) || content.text !== 'please sign') return undefined
  return { content: { text: `${content.text} -- the shop` }, annotations: { signed: true } }
}
