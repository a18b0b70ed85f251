import { expect } from 'chai'
import { definePlugin, T } from '../../../kernel/plugin.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { type Events, eventsOf } from '../../support/events/events.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  api: '^1.0.0',
  routes: (r) => [
    r.post('/probe/presence', {
      summary: 'Shows the account on line or not',
      body: T.Object({ Type: T.Union([T.Literal('available'), T.Literal('unavailable')]) }),
      handle: ({ body, session }) => session.socket.wa.sendPresenceUpdate(body.Type),
    }),
  ],
})

const HOUR_MS = 3_600_000

describe('presence', () => {
  let world: World
  let shop: LinkedSession
  let ana: Phone
  let told: Events

  before(async () => {
    world = await startWorld({ extra: [probe] })
    shop = await world.linked(await world.phone('Shop'), {
      subscribe: ['Message', 'Presence', 'ChatPresence'],
    })
    ana = await world.phone('Ana')
    told = await eventsOf(shop)
    await show('available')
  })
  after(async () => {
    await told.close()
    await world.stop()
  })

  /** Baileys says nothing of the presence before it knows the account's name: asked until the network heard it. */
  async function show(Type: 'available' | 'unavailable'): Promise<void> {
    await eventually(async () => {
      await shop.post('/probe/presence', { Type })
      const { data } = await world.gateway.get(`/sandbox/phones/${shop.phone.account.phone}`, admin)
      return data.Companions[0].Available === (Type === 'available')
    }, Type)
  }
  const write = (Text: string) => ana.send(shop.phone.account.phone, { Text })
  const type = (Action: string) => ana.act({ Action, Chat: shop.phone.account.phone })
  const presences = () => told.all.filter((one) => one.type === 'Presence')

  it('is shown with the unified session, by the clock of the network', async () => {
    world.fault({ Fault: 'clock', Ms: 30 * HOUR_MS })
    const before = world.counters()['unifiedSessions'] ?? 0
    await shop.post('/session/disconnect')
    await shop.post('/session/connect', { Immediate: false })
    await shop.status({ LoggedIn: true })
    await eventually(() => world.counters()['unifiedSessions'] === before + 1, 'one for the login')
    expect((await shop.post('/user/presence', { Presence: 'available' })).success).to.equal(true)
    expect(world.counters()['unifiedSessions']).to.equal(before + 2)
    expect((await shop.post('/user/presence', { Presence: 'unavailable' })).success).to.equal(true)
    expect(world.counters()['unifiedSessions']).to.equal(before + 2)
    world.fault({ Fault: 'clear' })
    await show('available')
  })

  it('of a sender is reported: last seen, online, and offline', async () => {
    const { lid, jid } = ana.account
    const began = Math.floor(Date.now() / 1000) * 1000
    await ana.act({ Action: 'offline' })
    await write('hello')
    const first = await told.wait('Presence')
    expect(first).to.include({ state: 'offline' })
    expect(first.event).to.include({ From: lid, FromAlt: jid, Unavailable: true })
    expect(Date.parse(first.event.LastSeen)).to.be.within(began, Date.now())
    await ana.act({ Action: 'online' })
    const { event } = await told.wait('Presence', ({ Unavailable }) => !Unavailable)
    expect(event).to.deep.equal({ From: lid, FromAlt: jid, Unavailable: false, LastSeen: '' })
    await ana.act({ Action: 'offline' })
    await eventually(() => presences().length >= 3, 'notified three times', { progress: presences })
    expect(presences().map(({ state }) => state)).to.deep.equal(['offline', 'online', 'offline'])
    await ana.act({ Action: 'online' })
  })

  it('of a recipient is reported too', async () => {
    const bea = await world.phone('Bea')
    const { data } = await shop.post('/send/text', { Phone: bea.account.phone, Body: 'hi' })
    await bea.wait(({ id }) => id === data.Id)
    const { event } = await told.wait('Presence', ({ From }) => From === bea.account.lid)
    expect(event).to.include({ FromAlt: bea.account.jid, Unavailable: false })
  })

  it('in a chat is reported as typing, recording and paused, with the number', async () => {
    const { lid, jid } = ana.account
    await type('typing')
    const { event } = await told.wait('ChatPresence')
    expect([event.Sender, event.SenderAlt]).to.have.members([lid, jid])
    expect(event).to.include({
      Chat: event.Sender,
      IsFromMe: false,
      IsGroup: false,
      State: 'composing',
      Media: '',
    })
    await type('recording')
    await told.wait('ChatPresence', ({ State, Media }) => State === 'composing' && Media === 'audio')
    await type('paused')
    await told.wait('ChatPresence', ({ State, Media }) => State === 'paused' && Media === '')
    const answer = await shop.post('/send/text', { Phone: event.Chat, Body: 'go on' })
    expect(answer, answer.error).to.include({ success: true })
  })

  it('in a group names who types', async () => {
    const { phone } = shop.phone.account
    const { JID } = await ana.act({ Action: 'createGroup', Text: 'Team', Participants: [phone] })
    await ana.act({ Action: 'typing', Chat: String(JID) })
    const { event } = await told.wait('ChatPresence', ({ IsGroup }) => IsGroup)
    const { lid, jid } = ana.account
    expect(event).to.include({ Chat: JID, Sender: lid, SenderAlt: jid, State: 'composing' })
  })

  it('is subscribed to again on a new link', async () => {
    await shop.post('/session/disconnect')
    await shop.post('/session/connect', { Immediate: false })
    await shop.status({ LoggedIn: true })
    await show('available')
    const before = presences().length
    await write('still there?')
    await eventually(() => presences().length > before, 'notified again')
    expect(presences().at(-1)).to.include({ state: 'online' })
  })

  it('is not reported to an account that hides its own', async () => {
    await show('unavailable')
    const before = told.all.filter((one) => one.type === 'ChatPresence').length
    await type('typing')
    const id = await write('anybody?')
    await told.wait('Message', ({ Info }) => Info.ID === id)
    expect(told.all.filter((one) => one.type === 'ChatPresence')).to.have.length(before)
  })
})
