import { expect } from 'chai'
import { definePlugin, T } from '../../../kernel/plugin.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

/** A send whose business part the test chooses, as no route of the product would. */
const raw = definePlugin({
  name: 'raw',
  version: '1.0.0',
  api: '^1.0.0',
  needs: ['sender'],
  routes: (r) => [
    r.post('/raw', {
      summary: 'A text with any business part',
      body: T.Object({ Phone: T.String({ format: 'phone' }), Nodes: T.Array(T.Unsafe<never>({})) }),
      handle: (request, { sender }) => {
        const message = { proto: { conversation: 'x' } }
        return sender.send('/raw', request, () => message, { nodes: request.body.Nodes })
      },
    }),
  ],
})

describe('business parts of messages', () => {
  let world: World
  let session: LinkedSession
  before(async () => {
    world = await startWorld({ extra: [raw] })
    session = await world.linked(await world.phone('Shop'))
  })
  after(() => world.stop())

  const biz = (content: object[]) => ({ tag: 'biz', attrs: {}, content })
  const interactive = { tag: 'interactive', attrs: { type: 'native_flow', v: '1' } }

  it('are refused as on the real network, without delivery of the message', async () => {
    const ana = await world.phone('Ana')
    const outcomes: readonly [node: object, code: string][] = [
      [biz([interactive]), '479'],
      [biz([{ ...interactive, content: [{ tag: 'native_flow', attrs: { v: '9' } }] }]), '479'],
      [biz([{ tag: 'buttons', attrs: {} }]), '405'],
    ]
    for (const [node, code] of outcomes) {
      const answer = await session.post('/raw', { Phone: ana.account.phone, Nodes: [node] })
      expect(answer).to.include({ status: 502, error: `Error sending message: refused with code ${code}` })
    }
    const { data } = await session.post('/send/text', { Phone: ana.account.phone, Body: 'after' })
    await ana.wait(({ id }) => id === data.Id)
    expect(ana.messages()).to.have.length(1)
  })

  it('reach the phone beside the message, and are shown', async () => {
    const bea = await world.phone('Bea')
    const list = biz([{ tag: 'list', attrs: { v: '2', type: 'product_list' } }])
    await session.post('/raw', { Phone: bea.account.phone, Nodes: [list] })
    const path = `/sandbox/phones/${bea.account.phone}/messages?wait=5`
    const { data } = await world.gateway.get(path, admin)
    expect(data.Messages[0].Nodes).to.have.length(1)
    expect(data.Messages[0].Nodes[0]).to.deep.include(list)
  })
})
