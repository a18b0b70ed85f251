import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

for (const engine of engines) {
  describe(`webhook on ${engine.name}`, () => {
    let world: World
    let receiver: Receiver
    let session: LinkedSession
    let ana: Phone
    let secret: string

    before(async () => {
      world = await startWorld(
        { config: { webhook: { retrySeconds: [0.05, 0.1, 0.2], timeoutMs: 500 } } },
        engine,
      )
      session = await world.linked(await world.phone('Shop'), { subscribe: ['Message', 'ReadReceipt'] })
      ana = await world.phone('Ana')
    })
    after(() => world.stop())
    beforeEach(async () => {
      receiver = await startReceiver()
      const { data } = await session.post('/webhook', { WebhookURL: receiver.url })
      secret ??= data.Secret
    })
    afterEach(() => receiver.close())

    const say = (text: string): Promise<string> => ana.send(session.phone.account.phone, { Text: text })
    const holds =
      (text: string) =>
      ({ body }: { body: string }) =>
        body.includes(text)

    it('shows the secret once, and returns the settings', async () => {
      expect(secret).to.match(/^whsec_/)
      const { data } = await session.post('/webhook', { url: receiver.url })
      expect(data).not.to.have.property('Secret')
      expect((await session.get('/webhook')).data).to.deep.equal({
        webhook: receiver.url,
        subscribe: ['Message', 'ReadReceipt'],
        state: 'active',
        reason: '',
      })
    })

    it('refuses an address of any length in few words, and stores, logs and records none of it', async () => {
      const before = (await session.get('/webhook')).data
      const from = world.gateway.lines.length
      for (const length of [2_049, 10_000_000])
        for (const start of ['http://shop.example/', '', 'data:,']) {
          const WebhookURL = start + 'x'.repeat(length)
          const { status, error = '' } = await session.post('/webhook', { WebhookURL })
          expect(status).to.equal(400)
          expect(error).to.have.length.below(200).and.include('WebhookURL')
        }
      const { status, error } = await session.post('/webhook', { WebhookURL: 'x'.repeat(2_048) })
      expect(status).to.equal(400)
      expect(error).to.have.length.below(1_100)
      expect((await session.get('/webhook')).data).to.deep.equal(before)
      for (const line of world.gateway.lines.slice(from)) expect(line).to.have.length.below(2_000)
      const { data } = await world.gateway.get('/server/audit?limit=1000', admin)
      for (const row of data.Rows) expect(JSON.stringify(row)).to.have.length.below(1_000)
    })

    it('delivers a message in the documented format, with both signatures', async () => {
      await session.post('/session/update', { Labels: { customer: 'acme' } })
      const id = await say('bom dia')
      const { body, headers } = await receiver.wait(holds('bom dia'))
      const { type, event, eventId, jid, instanceName, labels } = JSON.parse(body)
      expect({ type, jid, instanceName, labels }).to.deep.equal({
        type: 'Message',
        jid: session.phone.account.jid,
        instanceName: 'Shop',
        labels: { customer: 'acme' },
      })
      expect(event.Info).to.include({
        ID: id,
        IsFromMe: false,
        IsGroup: false,
        PushName: 'Ana',
        Type: 'text',
      })
      expect([event.Info.Sender, event.Info.SenderAlt]).to.have.members([ana.account.jid, ana.account.lid])
      expect(event.Message).to.have.property('conversation', 'bom dia')
      expect(headers).to.include({ 'webhook-id': eventId, 'x-webhook-attempt': '1' })
      expect(() => new Webhook(secret).verify(body, headers)).not.to.throw()
      const answer = await session.post('/send/text', { Phone: event.Info.Chat, Body: 'answered' })
      expect(answer, answer.error).to.include({ success: true })
    })

    it('delivers receipts with sender and message ids', async () => {
      const { data } = await session.post('/send/text', { Phone: ana.account.phone, Body: 'read me' })
      await ana.wait(({ id }) => id === data.Id)
      await ana.act({ Action: 'read', Chat: session.phone.account.phone, Id: data.Id })
      const { body } = await receiver.wait(({ body }) => body.includes('"Read"') && body.includes(data.Id))
      const { type, state, event } = JSON.parse(body)
      expect({ type, state }).to.deep.equal({ type: 'ReadReceipt', state: 'Read' })
      expect(event).to.deep.include({ MessageIDs: [data.Id], Type: 'read', IsFromMe: false })
    })

    it('retries until accepted, with the same id and body, keeping the order of the chat', async () => {
      let failures = 3
      receiver.answer(({ body }) =>
        body.includes('first') && failures-- > 0 ? { status: 500 } : { status: 200 },
      )
      for (const text of ['first', 'second', 'third']) await say(text)
      await receiver.wait(holds('third'))
      const bodies = receiver.deliveries.filter(({ body }) => body.includes('first')).map(({ body }) => body)
      expect(new Set(bodies).size).to.equal(1)
      const order = receiver.deliveries.flatMap(({ body }) => /first|second|third/.exec(body)?.[0] ?? [])
      expect(order).to.deep.equal(['first', 'first', 'first', 'first', 'second', 'third'])
    })

    it('dead-letters an event after the last attempt, and continues with the next', async () => {
      receiver.answer(({ body }) => (body.includes('poison') ? { status: 500 } : { status: 200 }))
      await say('poison')
      await say('after it')
      await receiver.wait(holds('after it'))
      expect(receiver.deliveries.filter(holds('poison'))).to.have.length(4)
    })

    it('honours Retry-After', async () => {
      receiver.answer(({ headers }) =>
        headers['x-webhook-attempt'] === '1'
          ? { status: 429, headers: { 'retry-after': '1' } }
          : { status: 200 },
      )
      await say('slowly')
      const began = Date.now()
      await receiver.wait(
        ({ body, headers }) => body.includes('slowly') && headers['x-webhook-attempt'] === '2',
      )
      expect(Date.now() - began).to.be.greaterThan(800)
    })

    it('treats a hanging, resetting or redirecting receiver as failed', async () => {
      const answers = [
        'hang',
        'reset',
        { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
      ] as const
      let count = 0
      receiver.answer(({ body }) =>
        body.includes('stubborn') ? (answers[count++] ?? { status: 200 }) : { status: 200 },
      )
      await say('stubborn')
      await receiver.wait(
        ({ body, headers }) => body.includes('stubborn') && headers['x-webhook-attempt'] === '4',
      )
    })

    it('removes a webhook that answers 410', async () => {
      receiver.answer(() => ({ status: 410 }))
      await say('gone')
      await receiver.wait(holds('gone'))
      // The event that says so is committed after the change.
      const { data } = await session.get('/events?class=All&after=0&limit=500')
      let { Events, Next } = data
      const isDisabled = ({ type }: { type: string }) => type === 'WebhookDisabled'
      while (!Events.some(isDisabled))
        ({ Events, Next } = (await session.get(`/events?wait=10&after=${Next}`)).data)
      expect(Events.find(isDisabled).event).to.include({ Endpoint: 'main', URL: receiver.url })
      const { webhook, state, reason } = (await session.get('/webhook')).data
      expect({ webhook, state }).to.deep.equal({ webhook: '', state: 'gone' })
      expect(reason).to.include('410')
    })

    it('delivers only subscribed classes', async () => {
      await session.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['ReadReceipt'] })
      await say('not for you')
      const { data } = await session.post('/send/text', { Phone: ana.account.phone, Body: 'for the receipt' })
      await receiver.wait(({ body }) => body.includes(data.Id))
      expect(receiver.deliveries.filter(holds('"type":"Message"'))).to.deep.equal([])
      await session.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['Message', 'ReadReceipt'] })
    })

    it('refuses invalid and private addresses', async () => {
      for (const url of [
        'nonsense',
        'ftp://example.com/',
        'http://10.0.0.1/',
        'http://[::1]/',
        'http://0x7f.2/',
      ]) {
        const answer = await session.post('/webhook', { WebhookURL: url })
        expect(answer, url).to.include({ status: 400, success: false })
        expect(answer.error).to.include('WebhookURL')
      }
    })
  })
}
