import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

for (const engine of engines) {
  describe(`webhook attempts on ${engine.name}`, () => {
    let world: World
    let receiver: Receiver
    let session: LinkedSession
    let ana: Phone

    before(async () => {
      const webhook = { retrySeconds: [0.05, 600], breakerFailures: 2, breakerSeconds: 600 }
      world = await startWorld({ config: { webhook } }, engine)
      session = await world.linked(await world.phone('Shop'), { subscribe: ['Message'] })
      ana = await world.phone('Ana')
    })
    after(() => world.stop())
    beforeEach(async () => {
      receiver = await startReceiver()
      await session.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['Message'] })
    })
    afterEach(() => receiver.close())

    const say = (text: string): Promise<string> => ana.send(session.phone.account.phone, { Text: text })
    const eventOf = (message: string): Promise<{ eventId: string; seq: number }> =>
      eventually(
        async () => (await session.get(`/events/history?types=Message&id=${message}`)).data.Events[0],
        'logged',
      )
    const attemptsOf = async (id: string) =>
      (await session.get(`/webhook/attempts?Id=${id}`)).data.Attempts as Record<string, unknown>[]

    it('lists each attempt with status, latency and answer, and the state of the breaker', async () => {
      receiver.answer(() => ({ status: 503, body: 'maintenance' }))
      const { eventId, seq } = await eventOf(await say('broken'))
      const attempts = await eventually(async () => {
        const found = await attemptsOf(eventId)
        return found.length === 2 && found
      }, 'two failures')
      expect(
        attempts.map(({ Attempt, Accepted, Status, Answer }) => [Attempt, Accepted, Status, Answer]),
      ).to.deep.equal([
        [1, false, 'status 503', 'maintenance'],
        [2, false, 'status 503', 'maintenance'],
      ])
      expect(attempts[0]?.['Endpoint']).to.equal('main')
      const [health] = (await session.get('/webhook/health')).data.Endpoints
      expect(health).to.include({ Id: 'main', Breaker: 'open', Pending: 1, Dead: 0, LastError: 'status 503' })
      expect(Date.parse(health.BreakerUntil)).to.be.greaterThan(Date.now())
      expect(Date.parse(health.NextAt)).to.be.greaterThan(Date.now())
      expect(health.Recent[0]).to.include({ Seq: seq, State: 'pending', Attempts: 2 })

      // Another receiver: another host, whose breaker is closed.
      const sound = await startReceiver()
      await session.post('/webhook', { WebhookURL: sound.url })
      await sound.wait(({ body }) => body.includes('broken'))
      const all = await eventually(async () => {
        const found = await attemptsOf(eventId)
        return found.length === 3 && found
      }, 'the accepted attempt')
      expect(all[2]).to.include({ Accepted: true, Status: 'status 200' })
      await sound.close()
    })

    it('keeps an accepted attempt when the event is delivered again', async () => {
      const { eventId } = await eventOf(await say('twice'))
      const count = (wanted: number) =>
        eventually(async () => (await attemptsOf(eventId)).length === wanted, `${wanted} attempts`)
      await count(1)
      expect((await session.post('/webhook/replay', { Id: eventId })).data).to.deep.equal({ Replayed: 1 })
      await count(2)
      expect((await attemptsOf(eventId)).every(({ Accepted }) => Accepted)).to.equal(true)
    })

    it('delivers one event, or what is missing of a range, to a webhook that was added later', async () => {
      const first = await eventOf(await say('before one'))
      await eventOf(await say('before two'))
      const late = await startReceiver()
      const { Id } = (await session.post('/webhook/endpoints', { URL: late.url, Subscribe: ['Message'] }))
        .data
      const replay = async (body: object) =>
        (await session.post('/webhook/replay', { Endpoint: Id, ...body })).data
      expect(await replay({ FromSeq: first.seq })).to.deep.equal({ Replayed: 0 })
      expect(await replay({ Id: first.eventId })).to.deep.equal({ Replayed: 1 })
      await late.wait(({ body }) => body.includes('before one'))
      expect(await replay({ FromSeq: first.seq + 1, Missing: true })).to.deep.equal({ Replayed: 1 })
      await late.wait(({ body }) => body.includes('before two'))
      await world.gateway.call('DELETE', '/webhook/endpoints', { headers: session.headers, body: { Id } })
      await late.close()
    })

    it('lists newest deliveries first, page by page', async () => {
      await eventOf(await say('a'))
      const { seq: last } = await eventOf(await say('b'))
      const page = async (query: string) =>
        (await session.get(`/webhook/deliveries?Order=newest&${query}`)).data
      const seqs = await eventually(async () => {
        const { Deliveries } = await page('Limit=3')
        return Deliveries[0]?.Seq === last && Deliveries.map(({ Seq }: { Seq: number }) => Seq)
      }, 'three deliveries')
      expect(seqs).to.deep.equal([...seqs].sort((a, b) => b - a))
      const one = await page('Limit=1')
      expect((await page(`Limit=1&After=${one.Next}`)).Deliveries[0].Seq).to.equal(seqs[1])
    })

    it('shows the answer to a test event, to a webhook of all sessions too', async () => {
      receiver.answer(() => ({ status: 418, body: 'teapot' }))
      const { data } = await session.post('/webhook/test', {})
      expect(data).to.include({ Delivered: false, Details: 'status 418', Answer: 'teapot' })
      const added = await world.gateway.post('/webhook/global', { URL: receiver.url }, admin)
      const tested = await world.gateway.post('/webhook/global/test', { Id: added.data.Id }, admin)
      expect(tested.data).to.include({ Delivered: false, Answer: 'teapot' })
      const { data: health } = await world.gateway.get('/webhook/global/health', admin)
      expect(health.Endpoints[0]).to.include({ Id: added.data.Id, Dead: 0 })
    })
  })
}
