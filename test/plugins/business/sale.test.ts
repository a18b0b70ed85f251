import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { picture } from '../../support/picture.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'
import { businessPhone } from './shop.ts'

describe('selling', () => {
  let world: World
  let receiver: Receiver
  let shop: LinkedSession
  let ana: Phone
  let bread: { ID: string; Images: { URL: string }[] }
  let cake: { ID: string }
  before(async () => {
    world = await startWorld({ config: { baileys: { ackTimeoutMs: 1500 } } })
    receiver = await startReceiver()
    shop = await world.linked(await businessPhone(world, 'Bakery'), { subscribe: ['Message'] })
    await shop.post('/webhook', { WebhookURL: receiver.url })
    ana = await world.phone('Ana')
    const sell = async (fields: object) =>
      (await shop.post('/business/catalog/create', { currency: 'BRL', ...fields })).data
    bread = await sell({ name: 'Bread', price: 4500, images: [await picture()] })
    cake = await sell({ name: 'Cake', price: 30_000 })
  })
  after(async () => {
    await world.stop()
    await receiver.close()
  })

  /** A customer's cart, as it arrives at the webhook. */
  const ordered = async (items: object[]): Promise<{ orderID: string; token: string }> => {
    const { Id } = await ana.act({
      Action: 'placeOrder',
      Chat: shop.phone.account.phone,
      Text: 'for tomorrow',
      Data: { items },
    })
    const { body } = await receiver.wait((delivery) => delivery.body.includes(String(Id)))
    const { type, event } = JSON.parse(body)
    expect(type).to.equal('Message')
    expect(event.Message.orderMessage).to.include({ message: 'for tomorrow', itemCount: items.length })
    return event.Message.orderMessage
  }

  shows(
    'POST /business/order/details',
    'reads the order of a customer by id and token of the event',
    async () => {
      const { orderID, token } = await ordered([
        { id: bread.ID, quantity: 3 },
        { id: cake.ID, quantity: 1 },
      ])
      const { data } = await shop.post('/business/order/details', { orderId: orderID, token })
      expect(data).to.deep.equal({
        Price: { Total: 43_500, Currency: 'BRL' },
        Products: [
          {
            ID: bread.ID,
            Name: 'Bread',
            ImageURL: bread.Images[0]?.URL,
            Price: 4500,
            Currency: 'BRL',
            Quantity: 3,
          },
          { ID: cake.ID, Name: 'Cake', ImageURL: '', Price: 30_000, Currency: 'BRL', Quantity: 1 },
        ],
      })
    },
  )

  it('reads missing prices of an order as null, not NaN', async () => {
    const { Id } = await shop.phone.act({ Action: 'addProduct', Data: { name: 'Ask for it' } })
    const { orderID, token } = await ordered([{ id: Id, quantity: 1 }])
    const { data } = await shop.post('/business/order/details', { orderId: orderID, token })
    expect(data.Price).to.deep.equal({ Total: null, Currency: '' })
    expect(data.Products[0]).to.include({ Name: 'Ask for it', Price: null, Quantity: 1 })
  })

  refuses('POST /business/order/details', 'a wrong token, an unknown order, a stranger', async () => {
    const { orderID: orderId, token } = await ordered([{ id: bread.ID, quantity: 1 }])
    const read = (body: object, session = shop) => session.post('/business/order/details', body)
    expect(await read({ orderId, token: 'AAAA' })).to.include({
      status: 403,
      error: 'WhatsApp refused: not-authorized (401)',
    })
    expect(await read({ orderId: '12345', token })).to.include({
      status: 404,
      error: 'Order 12345 not found',
    })
    const stranger = await world.linked(await world.phone('Caio'))
    expect(await read({ orderId, token }, stranger)).to.include({ status: 403 })
    expect(await read({ orderId })).to.include({ status: 400, error: 'Missing token in Payload' })
    expect(await read({ orderId: 'a@b', token })).to.include({ status: 400 })
  })

  const sent = async (body: object) => {
    const answer = await shop.post('/business/send/catalog', { Phone: ana.account.phone, ...body })
    expect(answer, answer.error).to.include({ success: true })
    const { message } = await ana.wait(({ id }) => id === answer.data.Id)
    return message['extendedTextMessage'] as { text: string; matchedText: string; title: string }
  }

  shows('POST /business/send/catalog', 'delivers the link with its preview to the customer', async () => {
    const own = `https://wa.me/c/${shop.phone.account.phone}`
    expect(await sent({ Text: 'Look:', Title: 'Our bread' })).to.include({
      text: `Look:\n${own}`,
      matchedText: own,
      title: 'Our bread',
    })
    expect(
      await sent({ Text: 'Look: wa.me/c/5511999999999 !', MatchedText: 'wa.me/c/5511999999999' }),
    ).to.include({
      text: 'Look: wa.me/c/5511999999999 !',
      matchedText: 'wa.me/c/5511999999999',
    })
    expect(await sent({ Text: 'Look', MatchedText: 'wa.me/c/5511999999999' })).to.include({
      text: 'Look\nhttps://wa.me/c/5511999999999',
      matchedText: 'https://wa.me/c/5511999999999',
    })
  })

  refuses(
    'POST /business/send/catalog',
    'an invalid link, an unknown number, a refused message',
    async () => {
      const before = world.counters()['messages']
      const send = (body: object) =>
        shop.post('/business/send/catalog', { Phone: ana.account.phone, ...body })
      expect(await send({})).to.include({ status: 400, error: 'Missing Text in Payload' })
      expect(await send({ Text: 'x', MatchedText: 'https://example.com' })).to.include({
        status: 400,
        error: 'Invalid MatchedText: must look like wa.me/c/<number>',
      })
      expect(await send({ Text: 'x', Phone: '5511900000000' })).to.include({ status: 404 })
      expect(world.counters()['messages']).to.equal(before)
      world.fault({ Phone: shop.phone.account.phone, Fault: 'refuse', Code: 463, Count: 1 })
      expect(await send({ Text: 'refused' })).to.include({ status: 403 })
      expect(ana.messages().some(({ message }) => JSON.stringify(message).includes('refused'))).to.equal(
        false,
      )
    },
  )
})
