import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import {
  type ReceivedDelivery,
  type Receiver,
  type ReceiverReply,
  startReceiver,
} from '../../support/servers/receiver.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'

for (const engine of engines) {
  describe(`webhook operation on ${engine.name}`, () => {
    let world: World
    let receiver: Receiver
    let session: LinkedSession
    let ana: Phone
    let secret: string

    before(async () => {
      const webhook = {
        retrySeconds: [0.05, 0.1],
        // A busy machine may need long for what is held until all of it has come.
        timeoutMs: 60_000,
        breakerFailures: 4,
        breakerSeconds: 0.3,
        disableDays: 2 / 86_400,
      }
      world = await startWorld({ config: { webhook } }, engine)
      session = await world.linked(await world.phone('Shop'), { subscribe: ['Message'] })
      ana = await world.phone('Ana')
    })
    after(() => world.stop())
    beforeEach(async () => {
      receiver = await startReceiver()
      const { data } = await session.post('/webhook', { WebhookURL: receiver.url, Format: 'wamux' })
      secret ??= data.Secret
    })
    afterEach(() => receiver.close())

    const say = (text: string): Promise<string> => ana.send(session.phone.account.phone, { Text: text })
    const holds =
      (text: string) =>
      ({ body }: ReceivedDelivery) =>
        body.includes(text)
    const next = async (type: string, after: number) => {
      for (let seq = after; ; ) {
        const { data } = await session.get(`/events?wait=10&after=${seq}`)
        const found = data.Events.find((event: { type: string }) => event.type === type)
        if (found) return found
        seq = data.Next
      }
    }
    const newest = async (): Promise<number> => {
      let { Events, Next } = (await session.get('/events?limit=500')).data
      while (Events.length > 0)
        ({ Events, Next } = (await session.get(`/events?limit=500&after=${Next}`)).data)
      return Next
    }
    /** Deliveries in that state, once there is one that matches. */
    const listed = async (state: string, seq: string | undefined) => {
      const { Deliveries } = await eventually(async () => {
        const { data } = await session.get(`/webhook/deliveries?State=${state}&Limit=1000`)
        return data.Deliveries.some(({ Seq }: { Seq: number }) => String(Seq) === seq) && data
      }, `listed as ${state}`)
      return Deliveries.find(({ Seq }: { Seq: number }) => String(Seq) === seq)
    }

    it('keeps dead letters, lists them, and replays one or all', async () => {
      receiver.answer(() => ({ status: 404 }))
      await say('lost and found')
      const { headers } = await receiver.wait(
        ({ body, headers }) => body.includes('found') && headers['x-webhook-attempt'] === '3',
      )
      const dead = await listed('dead', headers['x-gateway-seq'])
      expect(dead).to.include({
        Id: headers['webhook-id'],
        Type: 'Message',
        Endpoint: 'main',
        Attempts: 3,
        Last: 'status 404',
      })
      receiver.answer(() => ({ status: 200 }))
      expect((await session.post('/webhook/replay', { Id: dead.Id })).data).to.deep.equal({ Replayed: 1 })
      const again = await receiver.wait(
        ({ body, headers }) =>
          body.includes('found') && headers['x-webhook-attempt'] === '1' && headers['webhook-id'] === dead.Id,
      )
      expect(again.headers['webhook-id']).to.equal(dead.Id)
      await listed('done', headers['x-gateway-seq'])
      expect((await session.post('/webhook/replay', { State: 'dead' })).data).to.deep.equal({ Replayed: 0 })
    })

    it('replays a range by seq and by time', async () => {
      await say('in the range')
      const { headers } = await receiver.wait(holds('in the range'))
      const seq = Number(headers['x-gateway-seq'])
      await listed('done', String(seq))
      expect((await session.post('/webhook/replay', { FromSeq: seq, ToSeq: seq })).data.Replayed).to.equal(1)
      const times = (wanted: number) => receiver.deliveries.filter(holds('in the range')).length >= wanted
      await receiver.wait(() => times(2))
      await listed('done', String(seq))
      const Since = new Date(Date.now() - 60_000).toISOString()
      expect(
        (await session.post('/webhook/replay', { Since, FromSeq: seq })).data.Replayed,
      ).to.be.greaterThan(0)
      await receiver.wait(() => times(3))
      const future = new Date(Date.now() + 60_000).toISOString()
      expect((await session.post('/webhook/replay', { Since: future })).data.Replayed).to.equal(0)
      expect((await session.post('/webhook/replay', { Since: 'soon' })).status).to.equal(400)
      expect((await session.post('/webhook/replay', { Id: 'evt_nothing' })).status).to.equal(404)
    })

    it('sends a test event and reports the outcome', async () => {
      const { data } = await session.post('/webhook/test')
      expect(data).to.include({ Delivered: true, Details: 'status 200' })
      const { body, headers } = await receiver.wait(holds('"type":"Test"'))
      expect(() => new Webhook(secret).verify(body, headers)).not.to.throw()
      receiver.answer(() => ({ status: 418 }))
      expect((await session.post('/webhook/test')).data).to.include({
        Delivered: false,
        Details: 'status 418',
      })
      expect((await session.post('/webhook/test', { Endpoint: 'ep_none' })).status).to.equal(404)
    })

    it('signs with both secrets during rotation', async () => {
      const { data } = await session.post('/webhook/secret')
      expect(new Date(data.OldSecretUntil).getTime()).to.be.closeTo(Date.now() + 86_400_000, 60_000)
      await say('signed twice')
      const { body, headers } = await receiver.wait(holds('signed twice'))
      expect(headers['webhook-signature']?.split(' ')).to.have.length(2)
      for (const key of [secret, data.Secret])
        expect(() => new Webhook(key).verify(body, headers)).not.to.throw()
      expect(headers['x-hmac-signature']).to.equal(
        createHmac('sha256', data.Secret).update(body).digest('hex'),
      )
      expect(() =>
        new Webhook(`whsec_${Buffer.alloc(32).toString('base64')}`).verify(body, headers),
      ).to.throw()
      secret = data.Secret
    })

    it('sends a form if configured, preserving a plus sign', async () => {
      await session.post('/webhook', { WebhookURL: receiver.url, Format: 'form' })
      await say('1+1 & more')
      const { body, headers } = await receiver.wait(holds('more'))
      expect(headers['content-type']).to.equal('application/x-www-form-urlencoded')
      expect(body).to.include('1%2B1')
      const form = new URLSearchParams(body)
      expect(form.get('token')).to.equal(session.token)
      expect(JSON.parse(form.get('jsonData') ?? '').event.Message.conversation).to.equal('1+1 & more')
      expect(isSigned(secret, { body, headers })).to.equal(true)
    })

    it('delivers to additional endpoints, each with its own classes, format and secret', async () => {
      const other = await startReceiver()
      const { data } = await session.post('/webhook/endpoints', {
        URL: other.url,
        Subscribe: ['ReadReceipt'],
        Format: 'form',
      })
      expect(data).to.include({ URL: other.url, Format: 'form', State: 'active' })
      const list = async () => (await session.get('/webhook/endpoints')).data.Endpoints
      expect((await list()).map(({ Id }: { Id: string }) => Id)).to.deep.equal(['main', data.Id])
      const sent = await session.post('/send/text', { Phone: ana.account.phone, Body: 'for the receipt' })
      const { body, headers } = await other.wait(holds(sent.data.Id))
      expect(body).to.include('ReadReceipt')
      expect(isSigned(data.Secret, { body, headers })).to.equal(true)
      expect(other.deliveries.filter(holds('%22type%22%3A%22Message%22'))).to.deep.equal([])
      expect(receiver.deliveries.filter(holds('"type":"ReadReceipt"'))).to.deep.equal([])
      await session.post('/webhook/endpoints', {
        Id: data.Id,
        URL: other.url,
        Subscribe: ['Message'],
        Format: 'wamux',
      })
      await say('for both')
      await Promise.all([receiver.wait(holds('for both')), other.wait(holds('for both'))])
      expect(
        (
          await world.gateway.call('DELETE', '/webhook/endpoints', {
            body: { Id: data.Id },
            headers: session.headers,
          })
        ).success,
      ).to.equal(true)
      expect(await list()).to.have.length(1)
      expect((await session.post('/webhook/endpoints', { URL: 'http://10.0.0.1/' })).status).to.equal(400)
      expect((await session.post('/webhook/endpoints', { URL: other.url, Id: 'main' })).status).to.equal(404)
      await other.close()
    })

    it('opens the breaker of a failing host, probes it, and resumes at once when it recovers', async () => {
      const friends = await Promise.all(['B', 'C', 'D', 'E', 'F', 'G'].map((name) => world.phone(name)))
      // All fail together: on a busy machine the first would have failed for good before the others came.
      let fail = (): void => undefined
      const failing = new Promise<ReceiverReply>((resolve) => {
        fail = () => resolve({ status: 503 })
      })
      receiver.answer(() => failing)
      await Promise.all(
        friends.map((friend) =>
          friend.send(session.phone.account.phone, { Text: `down ${friend.account.name}` }),
        ),
      )
      await receiver.count(6)
      fail()
      // Four failures open it; one probe fails too.
      await receiver.count(7)
      const tried = receiver.deliveries.length
      receiver.answer(() => ({ status: 200 }))
      for (const { account } of friends)
        await receiver.wait(
          (delivery) =>
            delivery.body.includes(`down ${account.name}`) && receiver.deliveries.indexOf(delivery) >= tried,
        )
      const calm = receiver.deliveries.slice(tried).map(({ body }) => /down (\w)/.exec(body)?.[1])
      expect([...calm].sort()).to.deep.equal(['B', 'C', 'D', 'E', 'F', 'G'])
    })

    it('disables a webhook after days of failures, with an event, and resumes when it is set again', async () => {
      const before = await newest()
      receiver.answer(() => ({ status: 404 }))
      // Each is dead after a fifth of a second; together they fail for longer than two.
      for (let i = 0; i < 40; i += 1) await say(`off ${i}`)
      const { event } = await next('WebhookDisabled', before)
      expect(event).to.include({ Endpoint: 'main', URL: receiver.url })
      expect(event.Reason).to.include('status 404')
      expect((await session.get('/webhook')).data).to.include({ webhook: receiver.url, state: 'disabled' })
      await say('waits')
      receiver.answer(() => ({ status: 200 }))
      expect((await session.post('/webhook', { WebhookURL: receiver.url })).success).to.equal(true)
      await receiver.wait(holds('waits'))
      expect((await session.get('/webhook')).data).to.include({ state: 'active', reason: '' })
    })
  })
}

/** What the package makes of it; its own check takes JSON only. */
function isSigned(secret: string, { body, headers }: Pick<ReceivedDelivery, 'body' | 'headers'>): boolean {
  const time = new Date(Number(headers['webhook-timestamp']) * 1000)
  const wanted = new Webhook(secret).sign(headers['webhook-id'] ?? '', time, body)
  return headers['webhook-signature']?.split(' ').includes(wanted) ?? false
}
