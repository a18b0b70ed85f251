import { expect } from 'chai'
import { definePlugin, type Plugin } from 'wamux/plugin'
import type {} from '../../plugins/messaging/index.ts'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import schedule from '../../plugins/schedule/index.ts'
import { eventually } from '../support/eventually.ts'
import type { TestGateway } from '../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { type LinkedSession, linkPhone } from '../support/sessions.ts'
import { clusterDatabase, startNode } from './nodes.ts'

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString()

describe('a message scheduled through a node that does not serve the session', () => {
  /** By text, the nodes that have sent it. */
  const senders = new Map<string, string[]>()
  let loose: LooseNetwork
  let owner: TestGateway
  let other: TestGateway
  let session: LinkedSession
  let ana: Phone

  const witness = (node: string): Plugin =>
    definePlugin({
      name: 'witness',
      version: '1.0.0',
      api: '^1.0.0',
      contributes: {
        messageHooks: () => ({
          beforeSend({ content }) {
            const text = 'text' in content ? String(content.text) : ''
            senders.set(text, [...(senders.get(text) ?? []), node])
            return undefined
          },
        }),
      },
    })

  before(async function () {
    const database = clusterDatabase()
    if (!database) return this.skip()
    loose = await startNetwork()
    const start = (name: string) =>
      startNode({ name, card: loose.card, database, extra: [schedule, witness(name)] })
    owner = await start('a')
    session = await linkPhone(owner, await loose.phones.create({ name: 'Shop' }))
    other = await start('b')
    ana = await loose.phones.create({ name: 'Ana' })
  })
  after(async () => {
    await Promise.all([owner?.stop(), other?.stop()])
    await loose?.network.close()
  })

  const text = async (node: TestGateway, Body: string, SendAt: string) => {
    const answer = await node.post('/send/text', { Phone: ana.account.phone, Body, SendAt }, session.headers)
    expect(answer.status, answer.error).to.equal(202)
    return answer.data
  }
  const cancel = (node: TestGateway, id: string) =>
    node.call('DELETE', `/schedule/${id}`, { headers: session.headers })
  const stateOf = async (node: TestGateway, id: string): Promise<string> => {
    const { data } = await node.get('/schedule?state=all', session.headers)
    return data.Scheduled.find(({ Id }: { Id: string }) => Id === id)?.State
  }
  const received = (wanted: string) => ana.wait(({ raw }) => raw.extendedTextMessage?.text === wanted)
  const texts = (): (string | null | undefined)[] =>
    ana.messages().map(({ raw }) => raw.extendedTextMessage?.text)

  it('is sent once, at its time, by the node that serves it', async () => {
    const SendAt = inMs(1_500)
    const { Id } = await text(other, 'from the other node', SendAt)
    expect(await stateOf(other, Id)).to.equal('waiting')
    expect((await received('from the other node')).id).to.equal(Id)
    expect(Date.now()).to.be.at.least(Date.parse(SendAt))
    await eventually(async () => (await stateOf(other, Id)) === 'sent', 'listed as sent')
    expect(senders.get('from the other node')).to.deep.equal(['a'])
  })

  it('is cancelled through any node', async () => {
    const SendAt = inMs(2_000)
    const [first, second] = [await text(owner, 'never 1', SendAt), await text(other, 'never 2', SendAt)]
    const { Id } = await text(other, 'after these', SendAt)
    expect((await cancel(other, first.Id)).data).to.include({ Id: first.Id, State: 'cancelled' })
    const twice = await Promise.all([owner, other].map((node) => cancel(node, second.Id)))
    for (const { data } of twice) expect(data).to.include({ State: 'cancelled' })
    expect(await stateOf(owner, first.Id)).to.equal('cancelled')
    await received('after these')
    await eventually(async () => (await stateOf(other, Id)) === 'sent', 'listed as sent')
    const late = await cancel(other, Id)
    expect(late).to.include({ status: 409, errorCode: 'SCHEDULE_ENDED' })
    expect(texts().filter((one) => one?.startsWith('never'))).to.deep.equal([])
  })

  it('is sent once by the next owner where the one that it had stops before', async () => {
    const SendAt = inMs(3_000)
    const { Id } = await text(other, 'handed over', SendAt)
    const { Id: cancelled } = await text(other, 'never 3', SendAt)
    await owner.stop()
    await eventually(
      async () => (await cancel(other, cancelled)).data?.State === 'cancelled',
      'cancelled by the next owner',
    )
    expect((await received('handed over')).id).to.equal(Id)
    expect(Date.now()).to.be.at.least(Date.parse(SendAt))
    await eventually(async () => (await stateOf(other, Id)) === 'sent', 'listed as sent')
    expect(senders.get('handed over')).to.deep.equal(['b'])
    expect(texts().filter((one) => one === 'handed over')).to.have.length(1)
    expect(texts()).to.not.include('never 3')
    expect(ana.failures).to.deep.equal([])
  })
})
