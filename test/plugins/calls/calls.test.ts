import { expect } from 'chai'
import { definePlugin, T } from '../../../kernel/plugin.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { type Events, eventsOf } from '../../support/events/events.ts'
import { eventually } from '../../support/eventually.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'

const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  api: '^1.0.0',
  routes: (r) => [
    r.post('/probe/reject', {
      summary: 'Refuses a call',
      body: T.Object({ Id: T.String({ format: 'id' }), From: T.String({ format: 'phone' }) }),
      handle: ({ body, session }) => session.socket.wa.rejectCall(body.Id, body.From),
    }),
    r.post('/probe/again', {
      summary: 'Lets the offers after a seq be handled again, as after a crash',
      body: T.Object({ Seq: T.Integer() }),
      handle: ({ body, session }, { consumers }) => consumers.move('calls', session.id, body.Seq),
    }),
    r.post('/probe/lag', {
      summary: 'Offers that are not handled yet',
      handle: async (_, { consumers }) => ({
        Lag: consumers.list().find(({ name }) => name === 'calls')?.behind.length,
      }),
    }),
  ],
})

describe('calls', () => {
  let world: World
  let shop: LinkedSession
  let ana: Phone
  let told: Events

  before(async () => {
    world = await startWorld({ extra: [probe] })
    shop = await world.linked(await world.phone('Shop'))
    ana = await world.phone('Ana')
    told = await eventsOf(shop)
  })
  after(async () => {
    await told.close()
    await world.stop()
  })

  const act = (phone: Phone, other: Phone, Action: string, more: object = {}) =>
    phone.act({ Action, Chat: other.account.phone, ...more })
  const call = async (from: Phone, to: Phone, Data = {}) =>
    String((await act(from, to, 'call', { Data }))['Id'])
  const event = async (type: string, id: string) =>
    (await told.wait(type, ({ CallID }) => CallID === id)).event
  const onNetwork = (id: string) =>
    (world.gateway.service('sandbox').network.view()['Calls'] as Record<string, unknown>[]).find(
      ({ ID }) => ID === id,
    )

  it('raises CallOffer with the number of the caller, usable as recipient of a reply', async () => {
    const began = Math.floor(Date.now() / 1000) * 1000
    const id = await call(ana, shop.phone)
    const offer = await event('CallOffer', id)
    const { lid, jid } = ana.account
    const { Timestamp, ...rest } = offer
    expect(Date.parse(Timestamp)).to.be.within(began, Date.now())
    expect(rest).to.deep.equal({
      From: lid,
      FromAlt: jid,
      CallCreator: lid,
      CallCreatorAlt: jid,
      CallID: id,
      GroupJID: '',
      RemotePlatform: 'android',
      RemoteVersion: '2.25.1',
      Media: 'audio',
      Type: '',
      Reason: '',
    })
    expect(await event('CallRelayLatency', id)).to.include({ From: lid, CallCreatorAlt: jid })
    const answer = await shop.post('/send/text', { Phone: offer.From, Body: 'we answer in writing' })
    expect(answer, answer.error).to.include({ success: true })
  })

  it('raises CallTerminate with the reason for a missed call', async () => {
    const id = await call(ana, shop.phone, { Video: true })
    expect(await event('CallOffer', id)).to.include({ Media: 'video' })
    await act(ana, shop.phone, 'hangUp', { Id: id, Data: { Reason: 'timeout' } })
    expect(await event('CallTerminate', id)).to.include({ Reason: 'timeout', From: ana.account.lid })
  })

  it('raises CallTerminate for a call that the phone accepted or rejected', async () => {
    const taken = await call(ana, shop.phone)
    await act(shop.phone, ana, 'acceptCall', { Id: taken })
    expect(await event('CallTerminate', taken)).to.include({ Reason: 'accepted_elsewhere' })
    const refused = await call(ana, shop.phone)
    await act(shop.phone, ana, 'rejectCall', { Id: refused })
    expect(await event('CallTerminate', refused)).to.include({ Reason: 'rejected_elsewhere' })
  })

  it('raises events for outgoing calls of the own phone', async () => {
    const { lid, jid } = ana.account
    const id = await call(shop.phone, ana)
    await act(ana, shop.phone, 'acceptCall', { Id: id })
    for (const type of ['CallRinging', 'CallPreAccept', 'CallTransport', 'CallAccept']) {
      expect(await event(type, id)).to.include({
        From: lid,
        FromAlt: jid,
        CallCreator: shop.phone.account.lid,
        CallCreatorAlt: shop.phone.account.jid,
      })
    }
    const refused = await call(shop.phone, ana)
    await act(ana, shop.phone, 'rejectCall', { Id: refused })
    expect(await event('CallReject', refused)).to.include({ From: lid, FromAlt: jid })
  })

  it('raises CallOfferNotice for a group call', async () => {
    const { phone } = shop.phone.account
    const { JID } = await ana.act({ Action: 'createGroup', Text: 'Team', Participants: [phone] })
    const { Id } = await ana.act({ Action: 'call', Chat: String(JID) })
    expect(await event('CallOfferNotice', String(Id))).to.include({
      GroupJID: JID,
      Type: 'group',
      Media: 'audio',
      CallCreator: ana.account.lid,
      CallCreatorAlt: ana.account.jid,
    })
  })

  it('ends a call for the caller when a companion rejects it', async () => {
    const id = await call(ana, shop.phone)
    const { From } = await event('CallOffer', id)
    expect(await shop.post('/probe/reject', { Id: id, From })).to.include({ success: true })
    const said = ana.presences.flatMap(({ tag, content }) =>
      tag === 'call' && Array.isArray(content) ? content : [],
    )
    expect(said.map(({ tag, attrs }) => `${tag} ${attrs['call-id']}`)).to.include(`reject ${id}`)
    expect(onNetwork(id)).to.include({ State: 'rejected', From: ana.account.phone })
  })

  describe('that a session rejects', () => {
    const set = async (values: object) => {
      const answer = await world.gateway.call('PUT', '/session/settings/calls', {
        headers: shop.headers,
        body: { Values: values },
      })
      expect(answer.status, answer.error).to.equal(200)
    }
    const rejections = (id: string): number =>
      ana.presences.flatMap(({ tag, content }) =>
        tag === 'call' && Array.isArray(content)
          ? content.filter((part) => part.tag === 'reject' && part.attrs['call-id'] === id)
          : [],
      ).length
    const texts = (text: string) =>
      ana.messages().filter(({ raw }) => raw.extendedTextMessage?.text === text).length
    after(() => set({}))

    it('are rejected on the phone once, with one text', async () => {
      await set({ reject: true, text: 'We answer in writing' })
      const id = await call(ana, shop.phone)
      await ana.wait(({ raw }) => raw.extendedTextMessage?.text === 'We answer in writing')
      await eventually(() => onNetwork(id)?.['State'] === 'rejected', 'rejected')
      const [offer] = (await shop.get('/events/history?types=CallOffer&limit=1')).data.Events
      expect(offer.event.CallID).to.equal(id)
      await shop.post('/probe/again', { Seq: offer.seq - 1 })
      await eventually(
        async () => (await shop.post('/probe/lag')).data.Lag === 0,
        'the offer was handled again',
      )
      expect(rejections(id)).to.equal(1)
      expect(texts('We answer in writing')).to.equal(1)
    })

    it('get their text also where the network refuses it at first', async () => {
      await set({ reject: true, text: 'Write to us' })
      world.fault({ Phone: shop.phone.account.phone, Fault: 'refuse', Code: 503, Count: 1 })
      const id = await call(ana, shop.phone)
      await ana.wait(({ raw }) => raw.extendedTextMessage?.text === 'Write to us')
      expect(rejections(id)).to.equal(1)
    })

    it('are not rejected by a list of what are no addresses, which is refused', async () => {
      const { data } = await shop.get('/session/settings/calls')
      for (const one of ['mom', '12', 'a@b', '5511 9999 x'])
        for (const allow of [[one], [ana.account.phone, one]]) {
          const answer = await world.gateway.call('PUT', '/session/settings/calls', {
            body: { Values: { allow } },
            headers: shop.headers,
          })
          expect(answer, one).to.include({ status: 400, errorCode: 'FIELD_INVALID' })
          expect(answer.error).to.include('"allow" must be phone numbers or JIDs').and.include(one)
        }
      expect((await shop.get('/session/settings/calls')).data).to.deep.equal(data)
    })

    it('are no group calls, of which there is only a notice', async () => {
      await set({ reject: true, text: 'not in a group' })
      const { phone } = shop.phone.account
      const { JID } = await ana.act({ Action: 'createGroup', Text: 'Call', Participants: [phone] })
      const { Id } = await ana.act({ Action: 'call', Chat: String(JID), Data: { Video: true } })
      expect(await event('CallOfferNotice', String(Id))).to.include({ GroupJID: JID, Media: 'video' })
      const other = await world.phone('Later')
      await call(other, shop.phone)
      await other.wait(({ raw }) => raw.extendedTextMessage?.text === 'not in a group')
      expect(rejections(String(Id))).to.equal(0)
      expect(texts('not in a group')).to.equal(0)
      expect(onNetwork(String(Id))).to.include({ State: 'ringing', Group: JID })
    })

    it('go on ringing from an allowed number, and by default', async () => {
      const other = await world.phone('Other')
      for (const values of [{ reject: true, text: 'no', allow: [ana.account.phone] }, {}]) {
        await set(values)
        const id = await call(ana, shop.phone)
        await event('CallOffer', id)
        await set({ reject: true, text: `after ${id}` })
        // Calls are handled in their order: once this one is rejected, the one before is left alone.
        await call(other, shop.phone)
        await other.wait(({ raw }) => raw.extendedTextMessage?.text === `after ${id}`)
        expect(onNetwork(id)).to.include({ State: 'ringing' })
        await act(ana, shop.phone, 'hangUp', { Id: id })
        await event('CallTerminate', id)
      }
      expect(texts('no')).to.equal(0)
    })
  })

  it('delivers calls to subscribers of Call without intermediate steps', async () => {
    await shop.post('/webhook', { WebhookURL: told.url, Subscribe: ['Call'] })
    const id = await call(shop.phone, ana)
    await act(ana, shop.phone, 'acceptCall', { Id: id })
    await event('CallAccept', id)
    const types = told.all.filter((one) => one.event.CallID === id).map((one) => one.type)
    expect(types).to.deep.equal(['CallAccept'])
  })
})
