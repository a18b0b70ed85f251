import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { TRIGGERS, type TriggerStage } from '../../../config/cli/remote/triggers.ts'
import { RECEIVED_SAMPLES } from '../../../plugins/messaging/samples.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type ReceivedDelivery, type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

type Body = Record<string, unknown>

/** What depends on the client that sent it: whether a message has a secret, and an edit a sealed form next to the plain one. */
const VARIABLE = /messageContextInfo|secretEncryptedMessage/

/** The path of each value in a body, without indexes of lists. */
function pathsOf(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((one) => pathsOf(one, `${at}[]`)))]
  if (typeof value !== 'object' || value === null) return [at]
  return Object.entries(value).flatMap(([name, one]) => pathsOf(one, `${at}.${name}`))
}
const shapeOf = (body: Body): string[] =>
  [...new Set(pathsOf(body))].filter((path) => !VARIABLE.test(path) && path !== '.test').sort()

for (const engine of engines) {
  describe(`made events on ${engine.name}`, () => {
    let world: World
    let session: LinkedSession
    let ana: Phone
    let main: Receiver
    let other: Receiver
    let secret: string
    let endpoint: string

    before(async () => {
      world = await startWorld({ config: { webhook: { retrySeconds: [0.1, 0.1, 0.1] } } }, engine)
      session = await world.linked(await world.phone('Shop'))
      ana = await world.phone('Ana')
      ;[main, other] = [await startReceiver(), await startReceiver()]
      secret = (await session.post('/webhook', { WebhookURL: main.url, Subscribe: ['All'] })).data.Secret
      endpoint = (await session.post('/webhook/endpoints', { URL: other.url, Subscribe: ['Newsletter'] }))
        .data.Id
    })
    after(async () => {
      await world.stop()
      await Promise.all([main.close(), other.close()])
    })
    afterEach(() => main.answer(() => ({ status: 200 })))

    const bodyOf = ({ body }: ReceivedDelivery): Body => JSON.parse(body)
    const make = (Event: string, more = {}) => session.post('/webhook/test', { Event, ...more })
    async function made(Event: string): Promise<Body> {
      const { data, error } = await make(Event)
      expect(data, error).to.include({ Delivered: true, Details: 'status 200' })
      return lastMade().body
    }
    /** Others may have arrived after it. */
    function lastMade(): { body: Body; delivery: ReceivedDelivery } {
      const delivery = main.deliveries.findLast((one) => bodyOf(one)['test']) as ReceivedDelivery
      return { body: bodyOf(delivery), delivery }
    }
    const lastSeq = async (): Promise<number> =>
      (await session.get('/events?limit=1000')).data.Events.at(-1)?.seq ?? 0

    /** What the same phone does in the sandbox. */
    function stage(): TriggerStage {
      const [own, from] = [session.phone.account.phone, ana.account.phone]
      const act = (phone: string) => async (action: object) => {
        const { data, error } = await world.gateway.post(`/sandbox/phones/${phone}/actions`, action, admin)
        expect(error).to.equal(undefined)
        return data
      }
      return {
        own,
        other: from,
        act: act(from),
        actOwn: act(own),
        async send(Message, To = own) {
          const { data, error } = await world.gateway.post(
            `/sandbox/phones/${from}/messages`,
            { To, Message },
            admin,
          )
          expect(error).to.equal(undefined)
          return data.Id
        },
      }
    }

    for (const [name, { event, run }] of Object.entries(TRIGGERS))
      it(`${name} has the fields of the event that a phone causes`, async () => {
        await session.post('/send/text', { Phone: ana.account.phone, Body: 'to be read' })
        const begun = main.deliveries.length
        await run(stage())
        const body = await made(name)
        expect(body).to.include({ type: event, test: true, instanceName: 'Shop' })
        await eventually(
          () => {
            const real = main.deliveries.slice(begun).map(bodyOf)
            const fitting = real.filter((one) => one['type'] === event && !one['test'])
            const wanted = shapeOf(body)
            return fitting.some((one) => JSON.stringify(shapeOf(one)) === JSON.stringify(wanted))
          },
          `a real event like ${name}`,
          {
            progress: () =>
              main.deliveries
                .slice(begun)
                .map(bodyOf)
                .filter((one) => one['type'] === event && !one['test'])
                .map((one) => {
                  const [real, wanted] = [shapeOf(one), shapeOf(body)]
                  const missing = real.filter((path) => !wanted.includes(path))
                  const extra = wanted.filter((path) => !real.includes(path))
                  return `missing ${missing} extra ${extra}`
                })
                .join('\n'),
          },
        )
      })

    it('is signed, marked, and from nobody', async () => {
      const body = await made('message.text')
      const { headers, body: text } = lastMade().delivery
      expect(() => new Webhook(secret).verify(text, headers)).not.to.throw()
      expect(headers).to.include({ 'x-gateway-test': '1', 'x-gateway-seq': '0' })
      expect(headers['webhook-id']).to.match(/^evt_test/)
      expect(body['message']).to.deep.include({ type: 'text', isFromMe: false })
      expect((body['message'] as { from: object }).from).to.include({ phone: '12025550123' })
      const real = main.deliveries.find((one) => bodyOf(one)['test'] === undefined)
      expect(real?.headers).not.to.have.property('x-gateway-test')
    })

    it('has the file, which no network needs to have', async () => {
      const { base64, mimeType } = await made('message.image')
      expect({ base64, mimeType }).to.deep.equal({
        base64: RECEIVED_SAMPLES.image.file.split(',')[1],
        mimeType: 'image/png',
      })
    })

    it('goes to the chosen webhook alone, enters no log, and is not retried', async () => {
      const seq = await lastSeq()
      const before = main.deliveries.length
      expect((await make('message.poll', { Endpoint: endpoint })).data).to.include({ Delivered: true })
      expect(other.deliveries.map((one) => bodyOf(one)['type'])).to.deep.equal(['Message'])
      main.answer(() => ({ status: 500, body: 'broken' }))
      const { data } = await make('call.offer')
      expect(data).to.include({ Delivered: false, Details: 'status 500', Answer: 'broken' })
      expect(data.Milliseconds).to.be.a('number')
      main.answer(() => ({ status: 200 }))
      await ana.send(session.phone.account.phone, { Text: 'after it' })
      await main.wait(({ body }) => body.includes('after it'))
      const since = main.deliveries.slice(before).map(bodyOf)
      expect(since.filter(({ test }) => test).map(({ type }) => type)).to.deep.equal(['CallOffer'])
      const { data: logged } = await session.get(`/events?after=${seq}&limit=1000`)
      expect(logged.Events.map(({ type }: { type: string }) => type)).to.not.include('CallOffer')
      const { Deliveries } = (await session.get('/webhook/deliveries?Limit=1000')).data
      expect(Deliveries.filter(({ Seq }: { Seq: number }) => Seq === 0)).to.deep.equal([])
    })

    it('has the format of the webhook', async () => {
      const { data } = await session.post('/webhook/endpoints', { URL: other.url, Format: 'evolution' })
      expect((await make('message.text', { Endpoint: data.Id })).data).to.include({ Delivered: true })
      const { body, headers } = other.deliveries.at(-1) as ReceivedDelivery
      expect(JSON.parse(body)).to.include({ event: 'messages.upsert' })
      expect(headers['x-gateway-test']).to.equal('1')
    })

    it('reaches a webhook of all sessions', async () => {
      const { data } = await world.gateway.post('/webhook/global', { URL: other.url }, admin)
      const body = { Id: data.Id, Event: 'presence.typing' }
      const tested = await world.gateway.post('/webhook/global/test', body, admin)
      expect(tested.data, tested.error).to.include({ Delivered: true })
      expect(bodyOf(other.deliveries.at(-1) as ReceivedDelivery)).to.include({
        type: 'ChatPresence',
        test: true,
      })
    })

    it('refuses one that nobody can make, naming those that there are', async () => {
      const { length } = main.deliveries
      const refused = await make('message.smell')
      expect(refused).to.include({ status: 400, errorCode: 'FIELD_INVALID' })
      expect(refused.error)
        .to.include('Event')
        .and.to.include('"message.smell"')
        .and.to.include('message.text')
      expect((await make('x'.repeat(65))).status).to.equal(400)
      expect(main.deliveries).to.have.length(length)
    })
  })
}
