import { expect } from 'chai'
import cloudApi from '../../../plugins/cloud-api/index.ts'
import { eventually } from '../../support/eventually.ts'
import { openShop, type Shop } from '../../support/world.ts'
import {
  type CloudReceiver,
  setWebhook,
  startCloudReceiver,
  textsOf,
  type Value,
  valueIn,
} from './receiver.ts'

/** Types that Typebot's schema of a message knows; it answers any other with 400, and Botpress an edit with 500. */
const KNOWN = ['text', 'image', 'interactive', 'button', 'unsupported']

describe('edits and deletions in webhooks of the Cloud API', () => {
  let shop: Shop
  let receiver: CloudReceiver
  let number: string
  let id: string
  // With the time-outs of retries as they are by default.
  before(async () => {
    shop = await openShop({ extra: [cloudApi] })
    number = shop.session.phone.account.phone
    receiver = await startCloudReceiver()
    id = (await setWebhook(shop.world, shop.session, receiver.url)).data.Endpoint
  })
  after(async () => {
    await shop.world.stop()
    await receiver.close()
  })
  const choose = async (Edits: string): Promise<void> => {
    const change = { Id: id, URL: receiver.url, Edits }
    expect((await shop.session.post('/webhook/endpoints', change)).data).to.include({ Edits })
  }
  const typeOf = ({ messages }: Value): string => String(messages?.[0]?.type)
  const closed = (status: number) =>
    receiver.answer(({ body }) => {
      const value = valueIn(body)
      return { status: !value.messages || KNOWN.includes(typeOf(value)) ? 200 : status }
    })
  /** Sends a message, an edit, a deletion and a text; resolves with what came after the message, and how long the text took. */
  async function converse(word: string): Promise<{ types: string[]; ms: number; edits: Value[] }> {
    const message = await shop.ana.send(number, { Text: `${word} first` })
    await receiver.body((value) => textsOf([value]).includes(`${word} first`))
    const { length } = receiver.bodies()
    await shop.ana.act({ Action: 'edit', Id: message, Text: `${word} second` })
    await shop.ana.act({ Action: 'revoke', Id: message })
    await shop.ana.send(number, { Text: `${word} last` })
    const began = Date.now()
    await receiver.body((value) => textsOf([value]).includes(`${word} last`))
    const values = receiver.bodies().slice(length)
    return { types: values.map(typeOf), ms: Date.now() - began, edits: values.slice(0, 2) }
  }

  it('are messages of an unsupported type, as that API reports what it can not show', async () => {
    closed(400)
    const { types, edits } = await converse('plain')
    expect(types).to.deep.equal(['unsupported', 'unsupported', 'text'])
    const { id: own, timestamp, ...message } = edits[0]?.messages?.[0] ?? {}
    expect(message).to.deep.equal({
      from: shop.ana.account.phone,
      from_user_id: shop.ana.account.lid,
      type: 'unsupported',
      errors: [
        {
          code: 131051,
          title: 'Message type unknown',
          message: 'Message type unknown',
          error_data: { details: 'Message type is currently not supported.' },
        },
      ],
    })
    expect(own).to.be.a('string')
    expect(timestamp).to.match(/^\d{10}$/)
  })

  it('are as this gateway has them where the receiver knows them', async () => {
    await choose('native')
    receiver.answer(() => ({ status: 200 }))
    const { types, edits } = await converse('known')
    expect(types).to.deep.equal(['edit', 'revoke', 'text'])
    expect(edits[0]?.messages?.[0].edit.message).to.deep.equal({
      type: 'text',
      text: { body: 'known second' },
    })
  })

  it('are not sent at all where the receiver is to be spared them', async () => {
    await choose('none')
    const { types } = await converse('spared')
    expect(types).to.deep.equal(['text'])
  })

  it('do not keep the next text from a receiver that refuses them, and become dead letters', async () => {
    await choose('native')
    closed(400)
    const { types, ms } = await converse('refused')
    expect(types.filter((type) => type === 'text')).to.have.length(1)
    expect(types).to.include.members(['edit', 'revoke'])
    // Each is tried twice, a second apart.
    expect(ms).to.be.lessThan(8_000)
    const { Deliveries } = (await shop.session.get(`/webhook/deliveries?Endpoint=${id}&State=pending`)).data
    expect(Deliveries).to.have.length(2)
    await shop.session.post('/webhook/replay', { Endpoint: id, Id: Deliveries[0].Id })
    await eventually(async () => (await shop.session.get('/cloud-api')).data.Dead > 0, 'a dead letter')
  })
})
