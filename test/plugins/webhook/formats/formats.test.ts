import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { definePlugin } from '../../../../kernel/plugin.ts'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import { type Receiver, startReceiver } from '../../../support/servers/receiver.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../../support/world.ts'

/** Has one body for each word of a text, and nothing for a message without words. */
const words = definePlugin({
  name: 'words',
  version: '1.0.0',
  api: '^1.0.0',
  contributes: {
    webhookFormats: () => ({
      name: 'words',
      headers: { 'content-type': 'text/plain', 'x-words': 'yes' },
      edits: ['unsupported', 'none'] as const,
      accepts: async (event) => event.type === 'Message',
      bodiesOf({ body }, { edits, jid }) {
        const { type, text } = body['message'] as { type: string; text: string }
        if (type === 'edit') return `${edits} ${jid}`
        return text.split(' ').filter((word) => word !== '')
      },
      sign: (body, secret) => ({ 'x-sum': createHmac('sha1', secret).update(body).digest('hex') }),
    }),
  },
})

for (const engine of engines) {
  describe(`formats of webhooks on ${engine.name}`, () => {
    let world: World
    let session: LinkedSession
    let ana: Phone
    let shop: string
    let receiver: Receiver
    let id: string
    let secret: string
    const place = engine.fresh()
    // A busy machine makes many attempts before a gateway has stopped.
    const config = { webhook: { retrySeconds: [...Array(50).fill(0.1), 600] } }
    before(async () => {
      world = await startWorld({ config, extra: [words], ...place }, engine)
      session = await world.linked(await world.phone('Shop'))
      shop = session.phone.account.phone
      ana = await world.phone('Ana')
    })
    after(() => world.stop())
    beforeEach(async () => {
      receiver = await startReceiver()
      const { data } = await session.post('/webhook/endpoints', { URL: receiver.url, Format: 'words' })
      ;({ Id: id, Secret: secret } = data)
    })
    afterEach(async () => {
      await world.gateway.call('DELETE', '/webhook/endpoints', { headers: session.headers, body: { Id: id } })
      await receiver.close()
    })
    const say = (Text: string): Promise<string> => ana.send(shop, { Text })
    const posted = () => receiver.deliveries.map(({ body }) => body)
    const listed = async (State: string) =>
      (await session.get(`/webhook/deliveries?Endpoint=${id}&State=${State}`)).data.Deliveries

    it('are those of plugins, with their headers, their signature and a body for each request', async () => {
      await say('one two three')
      await receiver.count(3)
      expect(posted()).to.deep.equal(['one', 'two', 'three'])
      const [first, second] = receiver.deliveries
      expect(first?.headers).to.include({ 'content-type': 'text/plain', 'x-words': 'yes' })
      expect(first?.headers['x-sum']).to.equal(createHmac('sha1', secret).update('one').digest('hex'))
      expect(first?.headers).not.to.have.property('webhook-signature')
      expect(second?.headers['webhook-id']).to.equal(`${first?.headers['webhook-id']}.1`)
      await eventually(async () => (await listed('done')).length === 1, 'one delivery of the event')
    })

    it('send again what was not accepted, and no more, in order', async () => {
      let isDown = true
      receiver.answer(({ body }) => ({ status: isDown && body === 'b' ? 503 : 200 }))
      await say('a b c')
      await receiver.wait(({ body, headers }) => body === 'b' && headers['x-webhook-attempt'] === '2')
      expect(posted()).to.deep.equal(['a', 'b', 'b'])
      isDown = false
      await receiver.wait(({ body }) => body === 'c')
      expect(posted().filter((body) => body !== 'b')).to.deep.equal(['a', 'c'])
    })

    it('deliver the other bodies of an event of which one is refused, and replay that one alone', async () => {
      receiver.answer(({ body }) => ({ status: body === 'bad' ? 422 : 200 }))
      await say('good bad better')
      await receiver.wait(({ body, headers }) => body === 'bad' && headers['x-webhook-attempt'] === '2')
      await say('next')
      const [dead] = await eventually(async () => {
        const found = await listed('dead')
        return found.length > 0 && found
      }, 'a dead letter')
      expect(dead.Last).to.equal('status 422: refused while others are accepted')
      expect(posted().filter((body) => body !== 'next')).to.deep.equal([
        'good',
        'bad',
        'better',
        'bad',
        'bad',
      ])
      receiver.answer(() => ({ status: 200 }))
      expect((await session.post('/webhook/replay', { Endpoint: id })).data.Replayed).to.equal(1)
      await eventually(async () => (await listed('dead')).length === 0, 'replayed')
      expect(posted().slice(6)).to.deep.equal(['bad'])
      expect((await session.post('/webhook/replay', { Endpoint: id, Id: dead.Id })).data.Replayed).to.equal(1)
      await receiver.count(10)
      expect(posted().slice(7)).to.deep.equal(['good', 'bad', 'better'])
    })

    it('make no request for an event that they have no word for', async () => {
      await say(' ')
      await say('word')
      await receiver.count(1)
      const [nothing] = await eventually(async () => {
        const found = await listed('done')
        return found.length === 2 && found
      }, 'both done')
      expect(posted()).to.deep.equal(['word'])
      const { Attempts } = (await session.get(`/webhook/attempts?Id=${nothing.Id}&Endpoint=${id}`)).data
      expect(Attempts.map(({ Status }: { Status: string }) => Status)).to.deep.equal(['nothing to send'])
    })

    it('say what becomes of an edit, as the endpoint chooses', async () => {
      const message = await say('first')
      await ana.act({ Action: 'edit', Id: message, Text: 'second' })
      await receiver.wait(({ body }) => body === `unsupported ${session.phone.account.jid}`)
      const change = { Id: id, URL: receiver.url, Edits: 'none' }
      expect((await session.post('/webhook/endpoints', change)).data).to.include({
        Format: 'words',
        Edits: 'none',
      })
      await ana.act({ Action: 'edit', Id: message, Text: 'third' })
      await say('after')
      await receiver.wait(({ body }) => body === 'after')
      expect(posted()).to.have.length(3)
    })

    it('are shown, and refused by the name of the field where they are unknown', async () => {
      const find = async () => {
        const { Endpoints } = (await session.get('/webhook/endpoints')).data
        return Endpoints.find((one: { Id: string }) => one.Id === id)
      }
      expect(await find()).to.include({ Format: 'words', Edits: 'unsupported' })
      for (const [path, fields, headers] of [
        ['/webhook/endpoints', { URL: receiver.url }, session.headers],
        ['/webhook/endpoints', { URL: receiver.url, Id: id }, session.headers],
        ['/webhook', { WebhookURL: receiver.url }, session.headers],
        ['/webhook/global', { URL: receiver.url }, admin],
      ] as const) {
        const refused = await world.gateway.post(path, { ...fields, Format: 'telex' }, headers)
        expect(refused).to.include({ status: 400, errorCode: 'FIELD_INVALID' })
        expect(refused.error).to.include('Format').and.include('wamux, form').and.include('words')
      }
      const native = { URL: receiver.url, Id: id, Edits: 'native' }
      expect((await session.post('/webhook/endpoints', native)).error)
        .to.include('Edits')
        .and.include('none')
      expect(await find()).to.include({ Format: 'words', Edits: 'unsupported' })
      const changed = await session.post('/webhook/endpoints', { URL: receiver.url, Id: id, Format: 'wamux' })
      expect(changed.data).to.include({ Format: 'wamux', Edits: 'native' })
    })

    it('hold what waits while their plugin is off', async () => {
      receiver.answer(() => ({ status: 503 }))
      await say('waits')
      await receiver.count(1)
      await world.stop()
      receiver.answer(() => ({ status: 200 }))
      world = await startWorld({ config, ...place }, engine)
      await eventually(async () => {
        const [one] = (await world.gateway.get(`/webhook/deliveries?Endpoint=${id}`, session.headers)).data
          .Deliveries
        return /no enabled plugin has the format "words"/.test(one.Last)
      }, 'the reason')
      await world.stop()
      const before = posted().length
      world = await startWorld({ config, extra: [words], ...place }, engine)
      await eventually(() => posted().length > before, 'delivered')
      expect(posted().at(-1)).to.equal('waits')
      session = { ...session, get: (path) => world.gateway.get(path, session.headers) }
    })
  })
}
