import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { checkTransform, transformed } from '../../../../plugins/webhook/formats/transform.ts'
import { engines } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import { type Receiver, startReceiver } from '../../../support/servers/receiver.ts'
import { admin, openShop, type Shop, startWorld } from '../../../support/world.ts'

const Transform = {
  Pick: ['type', 'message.from', 'message.id'],
  Rename: { 'message.from.phone': 'number', 'message.none': 'nothing' },
  Set: {
    'chat.text': '{{message.text}}',
    line: '{{ message.from.name }}: {{message.text}}{{missing}}',
    edited: '{{message.isEdited}}',
  },
}

const isRefusal = ([status, error]: [number, string]): boolean =>
  status === 400 && /Invalid Transform\.Set: "\{\{event\}\}" is placed 16 times/.test(error)

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

    it('can not multiply a body by placing values in themselves', async () => {
      const { session, ana } = shop
      await ana.send(session.phone.account.phone, { Text: 'x'.repeat(300) })
      const { Events } = (await session.get('/events?class=Message&limit=1')).data
      const nested = Array.from({ length: 16 }, (_, at) => [`event.Message.a${at}`, '{{event}}'])
      const doubling = { Pick: ['event'], Set: Object.fromEntries(nested) }
      const { status, error } = await session.post('/webhook/preview', {
        Id: Events[0].eventId,
        Transform: doubling,
      })
      expect([status, error]).to.satisfy(isRefusal)
      for (const [path, body] of [
        ['/webhook', { WebhookURL: receiver.url }],
        ['/webhook/endpoints', { URL: receiver.url }],
      ] as const)
        expect(
          await session.post(path, { ...body, Transform: doubling }).then((one) => [one.status, one.error]),
        ).to.satisfy(isRefusal)
      const global = await shop.world.gateway.post(
        '/webhook/global',
        { URL: receiver.url, Transform: doubling },
        admin,
      )
      expect([global.status, global.error]).to.satisfy(isRefusal)
      const cyclic = { Pick: ['event'], Set: { 'event.a': '{{event}}', 'event.a.b': '{{event}}' } }
      const shown = await session.post('/webhook/preview', { Id: Events[0].eventId, Transform: cyclic })
      expect(shown.status, shown.error).to.equal(200)
    })

    it('that makes a body too large fails for good, at once, with the reason', async () => {
      const { session, ana } = shop
      const lines = Object.fromEntries(
        Array.from({ length: 12 }, (_, at) => [`line${at}`, `${at}: {{message.text}}`]),
      )
      const { data } = await session.post('/webhook/endpoints', {
        URL: receiver.url,
        Transform: { Set: lines },
        Subscribe: ['Message'],
      })
      const id = await ana.send(session.phone.account.phone, { Text: 'y'.repeat(4_000) })
      const dead = await eventually(async () => {
        const { Deliveries } = (await session.get(`/webhook/deliveries?State=dead&Endpoint=${data.Id}`)).data
        return Deliveries[0]
      }, 'the dead letter')
      expect(dead.Attempts).to.equal(1)
      expect(dead.Last).to.match(/Transform\.Set.*line\d+.*at most/)
      const next = await ana.send(session.phone.account.phone, { Text: 'short' })
      await receiver.wait((one) => one.body.includes(next) && one.body.includes('11: short'))
      expect(receiver.deliveries.some(({ body }) => body.includes(id) && body.includes('line1'))).to.equal(
        false,
      )
      await shop.world.gateway.call('DELETE', '/webhook/endpoints', {
        headers: session.headers,
        body: { Id: data.Id },
      })
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

  const size = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
  const refusal = (run: () => unknown): string => {
    try {
      run()
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }

  it('reads from the body as it was, whatever was placed before', () => {
    const body = { a: { b: 'x' }, list: [{ c: 1 }], pad: 'p'.repeat(400) }
    const doubled = { Pick: ['a'], Set: { 'a.one': '{{a}}', 'a.two': '{{a}}', 'a.three': '{{a}}' } }
    expect(apply(body, doubled)).to.deep.equal({ a: { b: 'x', one: body.a, two: body.a, three: body.a } })
    const moved = { Rename: { 'list.0': 'x', list: 'x.y' } }
    expect(apply(body, moved)).to.deep.equal({ a: body.a, pad: body.pad, x: { c: 1, y: [{ c: 1 }] } })
    expect(apply(body, { Rename: { a: 'a.a' } })).to.deep.equal({ ...body, a: { a: body.a } })
    expect(apply(body, { Pick: ['a', 'a.b', 'list.0', 'list'] })).to.deep.equal({
      a: body.a,
      list: body.list,
    })
  })

  it('adds at most three times the body, or 4 MB, to it', () => {
    const sets = (count: number, text: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`copy${at}.value`, text]))
    for (const text of ['{{a}}', 'as text {{a}}', '{{a}}{{a.b}}{{a.b.c}}{{a.b.c.d}}'])
      for (const length of [10, 1_000, 100_000]) {
        const body = { a: { b: { c: { d: 'é"\n'.repeat(length) } } } }
        for (let count = 1; count <= 50; count += 1) {
          const transform = { Set: sets(count, text) }
          let made: unknown
          const said = refusal(() => (made = apply(body, transform)))
          const fixed = size(sets(count, text))
          if (made) expect(size(made)).to.be.at.most(4 * size(body) + fixed)
          else expect(said).to.match(/^Invalid Transform\.Set: too much for "copy\d+\.value".* at most/)
          if (!made) break
        }
      }
    const large = { a: 'x'.repeat(3_000_000), b: 1 }
    expect(apply(large, { Set: { c: '{{a}}', d: '{{b}}' } })).to.include({ c: large.a, d: 1 })
    expect(refusal(() => apply(large, { Set: { c: '{{a}}', d: '{{a}}' } }))).to.match(
      /Transform\.Set.*4,000,000/,
    )
    // An attachment in the body counts only where it is copied.
    const attached = { base64: 'x'.repeat(9_000_000), b: 1 }
    expect(apply(attached, { Pick: ['base64'], Set: { c: '{{b}}' } })).to.include({ c: 1 })
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
