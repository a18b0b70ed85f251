import { expect } from 'chai'
import { definePlugin } from '../../../kernel/plugin.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import schedule from '../../../plugins/schedule/index.ts'
import { type Engine, engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { startedGateway } from '../../support/gateway.ts'
import { startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, openShop, startWorld, type World } from '../../support/world.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

for (const engine of engines) {
  describe(`the clock of gateway and network on ${engine.name}`, () => {
    let world: World
    let session: LinkedSession
    let ana: Phone
    const nights: number[] = []
    const nightly = definePlugin({
      name: 'nightly',
      version: '1.0.0',
      api: '^1.0.0',
      contributes: {
        jobs: () => ({
          schedules: { night: { cron: '17 3 * * *', run: async () => void nights.push(Date.now()) } },
        }),
      },
    })

    beforeEach(async () => {
      nights.length = 0
      ;({ world, session, ana } = await openShop({ extra: [schedule, nightly] }, engine))
    })
    afterEach(() => world.stop())

    const clock = async () => (await world.gateway.get('/sandbox/clock', admin)).data
    const advance = async (Advance: string) => {
      const { status, error, data } = await world.gateway.post('/sandbox/clock', { Advance }, admin)
      expect(status, error).to.equal(200)
      return data
    }

    it('is that of the machine, and then ahead of it, with the links that are open', async () => {
      const before = await clock()
      expect(before.AheadSeconds).to.equal(0)
      const { logins = 0 } = world.counters()
      const after = await advance('61 days')
      expect(after.AheadSeconds).to.equal(61 * 86_400)
      expect(Date.parse(after.Time) - Date.parse(before.Time)).to.be.within(61 * DAY, 61 * DAY + 60_000)
      expect((await advance('1.5 hours')).AheadSeconds).to.equal(61 * 86_400 + 5_400)
      expect((await session.get('/session/status')).data).to.include({ Connected: true, LoggedIn: true })
      const { status } = await session.post('/send/text', { Phone: ana.account.phone, Body: 'still here' })
      expect(status).to.equal(200)
      expect(world.counters()['logins'] ?? 0).to.equal(logins)
    })

    for (const [Advance, says] of [
      ['-1 day', 'never set back'],
      ['0 days', 'never set back'],
      ['401 days', 'at most 400 days'],
      ['61', 'a number and a unit'],
      ['two days', 'a number and a unit'],
      ['9999999999 days', 'a number and a unit'],
    ] as const) {
      it(`refuses ${JSON.stringify(Advance)}`, async () => {
        const { status, error } = await world.gateway.post('/sandbox/clock', { Advance }, admin)
        expect(status).to.equal(400)
        expect(error).to.include('Invalid Advance').and.to.include(says)
        expect((await clock()).AheadSeconds).to.equal(0)
      })
    }

    it('is only for the admin', async () => {
      expect(await session.post('/sandbox/clock', { Advance: '1 day' })).to.include({ status: 401 })
      expect(await session.get('/sandbox/clock')).to.include({ status: 401 })
    })

    it('sends what is scheduled for the next 61 days, each message at its time', async () => {
      const begun = Date.now()
      const days = [61, 2, 30]
      const ids = new Map<string, number>()
      for (const day of days) {
        const SendAt = new Date(begun + day * DAY - HOUR).toISOString()
        const body = { Phone: ana.account.phone, Body: `day ${day}`, SendAt }
        ids.set((await session.post('/send/text', body)).data.Id, day)
      }
      await advance('61 days')
      for (const id of ids.keys()) await ana.wait((message) => message.id === id)
      const seen = ana.messages().filter(({ id }) => ids.has(id))
      expect(seen.map(({ id }) => ids.get(id))).to.deep.equal([2, 30, 61])
      for (const { id, raw: _, ...message } of seen) {
        const sentAt = begun + (ids.get(id) ?? 0) * DAY - HOUR
        // Steps become longer, and times less exact, when something is due all the time.
        expect(message.timestamp * 1000 - sentAt, `day ${ids.get(id)}`).to.be.within(-1_000, 60_000)
      }
    })

    it('retries a webhook, one attempt after the other, until it is delivered or dead', async () => {
      const receiver = await startReceiver()
      receiver.answer(() => ({ status: 503 }))
      await session.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['Message'] })
      const dead = await ana.send(session.phone.account.phone, { Text: 'never delivered' })
      await receiver.wait(({ body }) => body.includes(dead))
      await advance('4 days')
      const attempts = receiver.deliveries.filter(({ body }) => body.includes(dead))
      expect(attempts).to.have.length(12)
      const times = attempts.map(({ headers }) => Number(headers['webhook-timestamp']))
      expect(times).to.deep.equal([...times].sort((a, b) => a - b))
      expect((times.at(-1) ?? 0) - (times[0] ?? 0)).to.be.above(2 * 86_400)
      expect((await session.get('/webhook/deliveries?State=dead')).data.Deliveries).to.have.length.above(0)

      const late = await ana.send(session.phone.account.phone, { Text: 'delivered later' })
      await receiver.wait(({ body }) => body.includes(late))
      receiver.answer(() => ({ status: 200 }))
      await advance('1 hour')
      expect(receiver.deliveries.filter(({ body }) => body.includes(late))).to.have.length.above(1)
      await eventually(
        async () => (await session.get('/webhook/deliveries?State=pending')).data.Deliveries.length === 0,
        'delivered',
      )
      await receiver.close()
    })

    it('drops events and requests when their time is over', async () => {
      const events = async () => JSON.stringify((await session.get('/events?limit=1000')).data.Events)
      const requests = async () => (await session.get('/session/requests')).data.Requests
      const old = await ana.send(session.phone.account.phone, { Text: 'old' })
      await eventually(async () => (await events()).includes(old), 'logged')
      await session.post('/send/text', { Phone: 'nobody', Body: 'x' })
      await eventually(async () => (await requests()).length > 0, 'noted')
      await advance('13 days')
      expect(await events()).to.include(old)
      await advance('2 days')
      expect(await events()).not.to.include(old)
      expect(await requests()).to.have.length.above(0)
      await advance('16 days')
      expect(await requests()).to.have.length(0)
    })

    it('runs repeated work once, however often it was due', async () => {
      const begun = Date.now()
      await advance('61 days')
      expect(nights).to.have.length(1)
      expect((nights[0] ?? 0) - begun).to.be.at.least(61 * DAY)
      const { data } = await world.gateway.get('/server/jobs', admin)
      expect(JSON.stringify(data)).to.include('nightly.night')
      await advance('1 day')
      expect(nights).to.have.length(2)
    })

    it('ends keys and codes', async () => {
      const { Key } = (await session.post('/keys', { Name: 'hour', Scopes: ['read'], ExpiresIn: 3_600 })).data
      const status = async () => (await world.gateway.get('/session/status', { token: Key })).status
      const { Token } = (await world.gateway.post('/session/init', {}, admin)).data
      const unlinked = { token: String(Token) }
      await world.gateway.post('/session/connect', { Immediate: false }, unlinked)
      const first = (await world.gateway.get('/session/qr', unlinked)).data.QRCode
      await advance('61 seconds')
      const second = (await world.gateway.get('/session/qr', unlinked)).data.QRCode
      expect(second).to.be.a('string').and.not.equal(first)
      expect(await status()).to.equal(200)
      await advance('1 hour')
      expect(await status()).to.equal(401)
      expect((await world.gateway.get('/session/status', unlinked)).data.State).not.to.equal('qr')
    })

    it('erases disappearing messages from the phones', async () => {
      const shop = session.phone
      const { Id } = await ana.act({
        ...{ Action: 'setTimer', Chat: shop.account.phone, Data: { Seconds: 86_400 } },
      })
      await shop.wait(({ id }) => id === Id)
      const id = await ana.send(shop.account.phone, { Text: 'for a day' })
      await shop.wait((message) => message.id === id)
      const left = (phone: Phone) => phone.messages().map((message) => message.id)
      await advance('23 hours')
      for (const phone of [ana, shop]) expect(left(phone)).to.include(id)
      await advance('2 hours')
      for (const phone of [ana, shop]) expect(left(phone)).not.to.include(id)
    })

    it('makes versions of WhatsApp Web old, and links log in with a newer one', async () => {
      const version = async () => (await world.gateway.get('/sandbox/network', admin)).data.WebVersion
      const before = await version()
      await advance('100 days')
      expect((await version()).Floor).to.equal(before.Floor + 100 * 67_000)
      const { logins = 0 } = world.counters()
      world.fault({ Fault: 'drop', Phone: session.phone.account.phone })
      await eventually(() => (world.counters()['logins'] ?? 0) > logins, 'logged in again')
      await session.status({ LoggedIn: true })
    })
  })

  it(`the clock stays ahead after a restart on ${engine.name}`, async () => {
    const database = engine.fresh()
    const same: Engine = { name: engine.name, fresh: () => database }
    const machine = Date.now()
    const first = await startWorld({}, same)
    const { data } = await first.gateway.post('/sandbox/clock', { Advance: '61 days' }, admin)
    await first.gateway.post('/session/init', {}, admin)
    await first.stop()
    expect(Date.now() - machine).to.be.below(DAY)

    const second = await startWorld({}, same)
    const kept = (await second.gateway.get('/sandbox/clock', admin)).data
    expect(kept.AheadSeconds).to.equal(61 * 86_400)
    expect(Date.parse(kept.Time)).to.be.at.least(Date.parse(data.Time))
    expect((await second.gateway.get('/session/all', admin)).data).to.have.length(1)
    await second.stop()
  })
}

describe('a gateway without the sandbox', () => {
  it('has no clock to set', async () => {
    const gateway = await startedGateway({ plugins: [] })
    expect(globalThis.wamuxClock).to.include({ isMovable: false, aheadMs: 0 })
    expect((await gateway.post('/sandbox/clock', { Advance: '1 day' }, admin)).status).to.equal(404)
    await gateway.stop()
  })
})
