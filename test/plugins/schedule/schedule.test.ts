import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import schedule from '../../../plugins/schedule/index.ts'
import { engines } from '../../support/databases.ts'
import { type Events, eventsOf } from '../../support/events/events.ts'
import { picture } from '../../support/picture.ts'
import { admin, type LinkedSession, openShop, type World } from '../../support/world.ts'

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString()
const HOUR = 3_600_000
const DAY = 24 * HOUR

for (const engine of engines) {
  describe(`scheduled messages on ${engine.name}`, () => {
    let world: World
    let session: LinkedSession
    let ana: Phone
    let told: Events

    before(async () => {
      const config = { schedule: { maxWaiting: 3, maxMegabytes: 1 } }
      ;({ world, session, ana } = await openShop({ extra: [schedule], config }, engine))
      told = await eventsOf(session)
    })
    after(async () => {
      await told.close()
      await world.stop()
    })

    const text = (Body: string, fields: object, headers: Record<string, string> = {}) =>
      world.gateway.post(
        '/send/text',
        { Phone: ana.account.phone, Body, ...fields },
        { ...session.headers, ...headers },
      )
    const advance = (Advance: string) => world.gateway.post('/sandbox/clock', { Advance }, admin)
    const listed = async (state = 'waiting') => (await session.get(`/schedule?state=${state}`)).data.Scheduled
    const event = async (type: string, id: string) => (await told.wait(type, ({ Id }) => Id === id)).event

    it('sends when the time has come, and reports it', async () => {
      const SendAt = inMs(DAY)
      const { status, data } = await text('later', { SendAt })
      expect(status).to.equal(202)
      expect(data).to.include({ Details: 'Scheduled', SendAt, Chat: ana.account.jid })
      expect(await event('MessageScheduled', data.Id)).to.include({ Route: '/send/text', SendAt, Error: '' })
      expect((await listed())[0]).to.deep.equal({
        ...{ Id: data.Id, Chat: ana.account.jid, Route: '/send/text', SendAt },
        ...{ State: 'waiting', Text: 'later', Error: '' },
      })
      await advance('23 hours')
      expect(ana.messages().map(({ id }) => id)).not.to.include(data.Id)
      await advance('1 hour')
      const got = await ana.wait(({ id }) => id === data.Id)
      expect(got.raw.extendedTextMessage?.text).to.equal('later')
      expect(got.timestamp * 1000).to.be.within(Date.parse(SendAt) - 1_000, Date.parse(SendAt) + 60_000)
      await event('ScheduleSent', data.Id)
      expect((await listed('ended'))[0]).to.include({ Id: data.Id, State: 'sent' })
    })

    it('sends files, with what they quote', async () => {
      const { Id } = (await text('quoted', {})).data
      const { data } = await session.post('/send/image', {
        ...{ Phone: ana.account.phone, Image: await picture(), Caption: 'our shop', SendAt: inMs(HOUR) },
        ContextInfo: { StanzaId: Id, Participant: session.phone.account.phone },
      })
      await advance('1 hour')
      const { raw } = await ana.wait(({ id }) => id === data.Id)
      expect(raw.imageMessage?.caption).to.equal('our shop')
      expect(raw.imageMessage?.contextInfo?.stanzaId).to.equal(Id)
      expect(JSON.stringify(await ana.file(data.Id))).to.have.length.above(100)
    })

    it('cancels until it is due, once', async () => {
      const { data } = await text('never', { SendAt: inMs(HOUR) })
      const cancel = () => world.gateway.call('DELETE', `/schedule/${data.Id}`, { headers: session.headers })
      expect((await cancel()).data).to.include({ Id: data.Id, State: 'cancelled' })
      await event('ScheduleCancelled', data.Id)
      expect((await cancel()).data).to.include({ State: 'cancelled' })
      const sent = (await listed('ended')).find(({ State }: { State: string }) => State === 'sent')
      const late = await world.gateway.call('DELETE', `/schedule/${sent.Id}`, { headers: session.headers })
      expect(late).to.include({ status: 409, errorCode: 'SCHEDULE_ENDED' })
      const unknown = await world.gateway.call('DELETE', '/schedule/NEVER', { headers: session.headers })
      expect(unknown).to.include({ status: 404, errorCode: 'SCHEDULE_UNKNOWN' })
    })

    it('accepts a key once, and refuses it for another message', async () => {
      const SendAt = inMs(HOUR)
      const key = { 'Idempotency-Key': 'order-17' }
      const first = await text('once', { SendAt }, key)
      const again = await text('once', { SendAt }, key)
      expect(again.data).to.deep.equal(first.data)
      expect(await text('other', { SendAt }, key)).to.include({ status: 422, errorCode: 'ID_REUSED' })
      expect(await text('now', { Id: first.data.Id })).to.include({ status: 422, errorCode: 'ID_REUSED' })
      const { Id } = (await text('sent', {})).data
      expect(await text('later', { Id, SendAt })).to.include({ status: 422, errorCode: 'ID_REUSED' })
      await world.gateway.call('DELETE', `/schedule/${first.data.Id}`, { headers: session.headers })
    })

    for (const [fields, field, says] of [
      [{ SendAt: '2020-01-01T00:00:00Z' }, 'SendAt', 'not in the future'],
      [{ SendAt: '2020-01-01T00:00:00', TimeZone: 'Europe/Berlin' }, 'SendAt', 'not in the future'],
      [{ SendAt: '2200-01-01T00:00:00Z' }, 'SendAt', 'more than 366 days'],
      [{ SendAt: 'tomorrow' }, 'SendAt', 'must be a time'],
      [{ SendAt: '2030-02-30T10:00:00Z' }, 'SendAt', 'must be a time'],
      [{ SendAt: '2030-01-01T10:00:00' }, 'SendAt', 'no offset'],
      [{ SendAt: '2030-01-01T10:00:00', TimeZone: 'Mars/Base' }, 'TimeZone', 'not a time zone'],
      [{ SendAt: '2030-01-01T10:00:00Z', TimeZone: 'Europe/Berlin' }, 'TimeZone', 'must be absent'],
      [{ TimeZone: 'Europe/Berlin' }, 'SendAt', 'Missing'],
    ] as const) {
      it(`refuses ${JSON.stringify(fields)}`, async () => {
        const { status, error } = await text('x', fields)
        expect(status).to.equal(400)
        expect(error).to.include(field).and.to.include(says)
        expect(await listed()).to.deep.equal([])
      })
    }

    it('reads a local time in its zone', async () => {
      const summer = new Date().getUTCFullYear() + (new Date().getUTCMonth() > 5 ? 1 : 0)
      const { data } = await text('x', { SendAt: `${summer}-07-01T10:00`, TimeZone: 'Europe/Berlin' })
      expect(data.SendAt).to.equal(`${summer}-07-01T08:00:00.000Z`)
      await world.gateway.call('DELETE', `/schedule/${data.Id}`, { headers: session.headers })
    })

    it('refuses bad files and chats when it is scheduled, and more than the limits allow', async () => {
      const SendAt = inMs(HOUR)
      const image = await session.post('/send/image', { Phone: ana.account.phone, Image: 'x', SendAt })
      expect(image.status).to.be.within(400, 415)
      expect(await text('x', { Phone: 'nobody', SendAt })).to.include({ errorCode: 'PHONE_INVALID' })
      const large = `data:text/plain;base64,${Buffer.alloc(1_100_000, 65).toString('base64')}`
      const file = { Phone: ana.account.phone, Document: large, FileName: 'a.txt', SendAt }
      const refused = await session.post('/send/document', file)
      expect(refused, refused.error).to.include({ status: 429, errorCode: 'SCHEDULE_FULL' })
      const ids: string[] = []
      for (let count = 0; count < 3; count += 1) ids.push((await text(`${count}`, { SendAt })).data.Id)
      expect(await text('4', { SendAt })).to.include({ status: 429, errorCode: 'SCHEDULE_FULL' })
      const page = (await session.get('/schedule?limit=2')).data
      expect(page.Scheduled).to.have.length(2)
      expect((await session.get(`/schedule?after=${page.After}`)).data.Scheduled).to.have.length(1)
      for (const id of ids)
        await world.gateway.call('DELETE', `/schedule/${id}`, { headers: session.headers })
    })

    it('shows a key that is limited to some chats the messages of these', async () => {
      const { Id } = (await text('for Ana', { SendAt: inMs(HOUR) })).data
      const bob = await world.phone('Bob')
      const { data } = await session.post('/keys', {
        ...{ Name: 'bob', Scopes: ['read', 'send'], Chats: [bob.account.phone] },
      })
      const headers = { token: data.Key }
      expect((await world.gateway.get('/schedule', headers)).data.Scheduled).to.deep.equal([])
      expect(await world.gateway.call('DELETE', `/schedule/${Id}`, { headers })).to.include({ status: 404 })
      const own = await world.gateway.post(
        '/send/text',
        { Phone: bob.account.phone, Body: 'x', SendAt: inMs(HOUR) },
        headers,
      )
      expect((await world.gateway.get('/schedule', headers)).data.Scheduled[0].Id).to.equal(own.data.Id)
      // Pages are of its own messages: the id of another one is neither given out nor known.
      const page = async (query: string) =>
        (await world.gateway.get(`/schedule?limit=1${query}`, headers)).data as {
          Scheduled: { Id: string }[]
          After: string
        }
      for (const query of ['', `&after=${Id}`, '&after=unknown'])
        expect(await page(query), query).to.deep.include({ After: own.data.Id })
      expect(await page(`&after=${own.data.Id}`)).to.deep.equal({ Scheduled: [], After: '' })
      for (const id of [Id, own.data.Id])
        await world.gateway.call('DELETE', `/schedule/${id}`, { headers: session.headers })
    })

    it('fails with the reason when the session was unlinked meanwhile', async () => {
      const { data } = await text('too late', { SendAt: inMs(1_500) })
      await session.post('/session/logout')
      expect(await event('ScheduleFailed', data.Id)).to.include({ Code: 'NOT_LOGGED_IN' })
      expect((await listed('ended')).find(({ Id }: { Id: string }) => Id === data.Id)).to.include({
        State: 'failed',
      })
    })
  })
}

it('SendAt is refused where the plugin is not enabled', async () => {
  const { world, session, ana } = await openShop()
  const refused = await session.post('/send/text', {
    ...{ Phone: ana.account.phone, Body: 'x', SendAt: inMs(HOUR) },
  })
  expect(refused.status).to.equal(400)
  expect(refused.error).to.include('SendAt').and.to.include('plugin "schedule"')
  await world.stop()
})
