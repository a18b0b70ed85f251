import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { createProbe } from '../../support/probe.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'

describe('presence of a session that subscribes to All', () => {
  const probe = createProbe()
  let world: World
  let ana: Phone

  before(async () => {
    world = await startWorld({ extra: [probe.plugin], config: { presence: { contacts: 3 } } })
    ana = await world.phone('Ana')
  })
  after(() => world.stop())

  const linked = async (subscribe: string[]): Promise<LinkedSession> => {
    const session = await world.linked(await world.phone('Shop'), { subscribe })
    // Its name comes with the account's settings, and without a name it shows no presence.
    await probe.synced(session)
    return session
  }
  const show = async (session: LinkedSession, Presence: string): Promise<void> => {
    const answer = await session.post('/user/presence', { Presence })
    expect(answer.error).to.equal(undefined)
  }
  /** Whose presence the session has so far; what was sent before a message is logged before it. */
  const present = async (session: LinkedSession): Promise<string[]> => {
    const id = await ana.send(session.phone.account.phone, { Text: 'mark' })
    await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === id)
    const { data } = await session.get('/events?class=Presence&limit=500')
    const events = data.Events as { event: { From: string } }[]
    return [...new Set(events.map(({ event }) => event.From))].filter((lid) => lid !== ana.account.lid)
  }
  const save = async (session: LinkedSession, phone: Phone): Promise<void> => {
    const body = { Phone: phone.account.phone, FullName: phone.account.name }
    expect((await session.post('/contact/add', body)).error).to.equal(undefined)
  }

  it('is delivered for senders of messages', async () => {
    const shop = await linked(['All'])
    await show(shop, 'available')
    await ana.send(shop.phone.account.phone, { Text: 'hi' })
    const { session } = await probe.event('Presence', ({ From }) => From === ana.account.lid)
    expect(session).to.equal((await probe.session(shop.token))?.id)
  })

  it('is delivered for saved contacts and earlier senders once the account is online', async () => {
    const shop = await linked(['All'])
    const [bea, caio] = [await world.phone('Bea'), await world.phone('Caio')]
    const before = await caio.send(shop.phone.account.phone, { Text: 'hi' })
    await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === before)
    await save(shop, bea)
    await show(shop, 'available')
    expect(await present(shop)).to.have.members([bea.account.lid, caio.account.lid])
  })

  it('is subscribed to for no more contacts than configured', async () => {
    const shop = await linked(['All'])
    for (const name of ['One', 'Two', 'Three', 'Four', 'Five']) await save(shop, await world.phone(name))
    await show(shop, 'available')
    expect(await present(shop)).to.have.length(3)
  })

  it('causes no subscriptions without an event subscription', async () => {
    const shop = await linked(['Message'])
    await save(shop, await world.phone('Davi'))
    await show(shop, 'available')
    expect(await present(shop)).to.deep.equal([])
    const { data } = await shop.get('/events?class=Presence')
    expect(data.Events).to.deep.equal([])
  })
})
