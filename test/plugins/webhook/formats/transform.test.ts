import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { checkTransform, transformed } from '../../../../plugins/webhook/formats/transform.ts'
import { engines } from '../../../support/databases.ts'
import { type Receiver, startReceiver } from '../../../support/servers/receiver.ts'
import { openShop, type Shop, startWorld } from '../../../support/world.ts'

const Transform = {
  Pick: ['type', 'message.from', 'message.id'],
  Rename: { 'message.from.phone': 'number', 'message.none': 'nothing' },
  Set: {
    'chat.text': '{{message.text}}',
    line: '{{ message.from.name }}: {{message.text}}{{missing}}',
    edited: '{{message.isEdited}}',
  },
}

for (const engine of engines) {
  describe(`the transform of a webhook on ${engine.name}`, () => {
    let shop: Shop
    let receiver: Receiver
    const place = engine.fresh()
    before(async () => {
      shop = await openShop(place, engine)
      receiver = await startReceiver()
    })
    after(async () => {
      await shop.world.stop()
      await receiver.close()
    })

    it('picks, renames and sets fields of what is delivered, previewed and signed', async () => {
      const { session, ana } = shop
      const { data } = await session.post('/webhook/endpoints', {
        URL: receiver.url,
        Transform,
        Subscribe: ['Message'],
      })
      expect(data.Transform).to.deep.equal(Transform)
      const id = await ana.send(session.phone.account.phone, { Text: 'Hi' })
      const { body, headers } = await receiver.wait((one) => one.body.includes(id))
      const { from, ...message } = JSON.parse(body).message
      expect(from).to.have.all.keys('jid', 'lid', 'name', 'username')
      expect({ ...JSON.parse(body), message }).to.deep.equal({
        type: 'Message',
        message: { id },
        number: ana.account.phone,
        chat: { text: 'Hi' },
        line: 'Ana: Hi',
        edited: false,
      })
      expect(headers['x-hmac-signature']).to.equal(
        createHmac('sha256', data.Secret).update(body).digest('hex'),
      )
      const event = { Id: headers['webhook-id'], Transform }
      const { Requests } = (await session.post('/webhook/preview', event)).data
      expect(Buffer.from(Requests[0].Body, 'base64').toString()).to.equal(body)
    })

    it('is kept over a restart, and removed by an empty one', async () => {
      const { session } = shop
      await shop.world.stop()
      const world = await startWorld(place, engine)
      shop = { ...shop, world }
      const listed = async () =>
        (await world.gateway.get('/webhook/endpoints', session.headers)).data.Endpoints[0]
      const { Id, Transform: kept } = await listed()
      expect(kept).to.deep.equal(Transform)
      const change = { Id, URL: receiver.url, Transform: {} }
      await world.gateway.post('/webhook/endpoints', change, session.headers)
      expect(await listed()).not.to.have.property('Transform')
    })

    it('is refused by the name of the field, where it has no path or the bodies are no JSON', async () => {
      const { world, session } = shop
      const set = (fields: object) =>
        world.gateway.post('/webhook/endpoints', { URL: receiver.url, ...fields }, session.headers)
      const many = Array.from({ length: 51 }, (_, index) => `a${index}`)
      for (const [field, fields] of [
        ['Transform.Pick', { Transform: { Pick: ['a..b'] } }],
        ['Transform.Rename', { Transform: { Rename: { a: '__proto__.x' } } }],
        ['Transform.Set', { Transform: { Set: { a: '{{b c}}' } } }],
        ['Transform', { Format: 'form', Transform: { Pick: ['a'] } }],
        ['Transform', { Transform: { Pick: many } }],
        ['Transform', { Transform: { Code: 'x' } }],
      ] as const) {
        const { status, error } = await set(fields)
        expect([status, error], field).to.satisfy(
          ([code, text]: [number, string]) => code === 400 && text.includes(field),
        )
      }
      expect((await world.gateway.get('/webhook/endpoints', session.headers)).data.Endpoints).to.have.length(
        1,
      )
    })
  })
}

describe('a transform', () => {
  const apply = (body: unknown, transform: Parameters<typeof transformed>[1]): unknown =>
    JSON.parse(transformed(Buffer.from(JSON.stringify(body)), transform).toString())

  it('bounds a text that names a long value many times', () => {
    const made = apply(
      { text: 'x'.repeat(60_000) },
      { Pick: ['none'], Set: { many: '{{text}}'.repeat(200) } },
    )
    expect((made as { many: string }).many).to.have.length(65_536)
  })

  it('leaves bodies that are no object, replaces what is in the way of a path, and fills from the body as it was', () => {
    expect(apply([1], { Pick: ['a'] })).to.deep.equal([1])
    expect(apply({ a: 1 }, { Set: { 'a.b': '{{a}}', c: 'x{{a}}y{{' } })).to.deep.equal({
      a: { b: 1 },
      c: 'x1y{{',
    })
    expect(apply({ list: [{ x: 'y' }] }, { Pick: ['list.0.x'] })).to.deep.equal({ list: { 0: { x: 'y' } } })
    expect(apply({ a: 1, b: 2 }, { Rename: { a: 'b' } })).to.deep.equal({ b: 1 })
    expect(() => checkTransform({ Pick: ['constructor.prototype'] })).not.to.throw()
    expect(apply({}, { Pick: ['constructor.name'] })).to.deep.equal({})
  })
})
