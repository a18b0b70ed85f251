import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { child } from '../../../../plugins/sandbox/stanza.ts'
import { type LinkedSession, messageLogged } from '../../../support/sessions.ts'
import { startWorld, type World } from '../../../support/world.ts'
import { openTokenShop, type TokenShop } from './token-shop.ts'

describe('messages to accounts with a hosted device', () => {
  let world: World
  let bakery: Phone
  beforeEach(async () => {
    world = await startWorld()
    bakery = await world.phone('Bakery', { business: true })
  })
  afterEach(() => world.stop())

  async function says(session: LinkedSession, Phone: string, Body: string): Promise<string> {
    const { status, data, error } = await session.post('/send/text', { Phone, Body })
    expect(status, error).to.equal(200)
    return data.Id
  }
  const isClean = (): void =>
    void expect(world.counters()).to.include({ outdatedDevices: 0, misaddressed: 0, retries: 0 })

  for (const lidMigrated of [true, false])
    it(`are encrypted for it, and for the own one, by ${lidMigrated ? 'LID' : 'number'} (whatsapp/41)`, async () => {
      await bakery.act({ Action: 'addHostedDevice' })
      const owner = await world.phone('Shop', { business: true, lidMigrated })
      await owner.act({ Action: 'addHostedDevice' })
      const shop = await world.linked(owner)
      const form = lidMigrated ? 'lid' : 'jid'
      for (const to of [bakery.account.jid, bakery.account.lid]) {
        const id = await says(shop, to, 'two loaves')
        const theirs = await bakery.hosted.messages.wait((message) => message.id === id)
        expect(theirs).to.deep.include({ chat: owner.account[form], fromMe: false })
        const own = await owner.hosted.messages.wait((message) => message.id === id)
        expect(own).to.deep.include({ chat: bakery.account[form], fromMe: true })
      }
      isClean()
    })

  it('reach the companions that were linked after it', async () => {
    await bakery.act({ Action: 'addHostedDevice' })
    const companion = await world.linked(bakery)
    const shop = await world.linked(await world.phone('Shop'))
    const id = await says(shop, bakery.account.lid, 'for all devices')
    await messageLogged(world.gateway, companion.headers, 'for all devices')
    await bakery.hosted.messages.wait((message) => message.id === id)
    isClean()
  })

  it('are encrypted for one that is added later', async () => {
    const shop = await world.linked(await world.phone('Shop'))
    await says(shop, bakery.account.lid, 'before')
    await bakery.act({ Action: 'addHostedDevice' })
    const id = await says(shop, bakery.account.lid, 'after')
    await bakery.hosted.messages.wait((message) => message.id === id)
    expect(world.counters()).to.include({ retries: 0 })
  })

  it('are encrypted for the remaining devices alone once it is removed, and for a later one with its keys', async () => {
    const owner = await world.phone('Shop', { business: true })
    for (const phone of [bakery, owner]) await phone.act({ Action: 'addHostedDevice' })
    const shop = await world.linked(owner)
    const seenBy = async (id: string, ...devices: Pick<Phone, 'wait'>[]): Promise<void> => {
      for (const device of devices) await device.wait((message) => message.id === id)
    }
    /** What follows is sent when the gateway has been told of the change. */
    async function isTold(): Promise<void> {
      await messageLogged(
        world.gateway,
        shop.headers,
        await bakery.send(owner.account.phone, { Text: 'told' }),
      )
    }
    const first = await says(shop, bakery.account.lid, 'for all')
    await seenBy(first, bakery, owner, bakery.hosted.messages, owner.hosted.messages)
    for (const phone of [bakery, owner]) {
      await phone.act({ Action: 'removeHostedDevice' })
      await isTold()
      await seenBy(await says(shop, bakery.account.lid, 'for those that remain'), bakery, owner)
      isClean()
    }
    for (const phone of [bakery, owner]) {
      await phone.act({ Action: 'addHostedDevice' })
      await isTold()
      const id = await says(shop, bakery.account.lid, 'for the new one')
      await seenBy(id, bakery, owner, phone.hosted.messages)
      expect(phone.hosted.failures).to.deep.equal([])
      isClean()
    }
  })

  it('are not, in a group', async () => {
    await bakery.act({ Action: 'addHostedDevice' })
    const shop = await world.linked(await world.phone('Shop'))
    const { JID } = await bakery.act({
      Action: 'createGroup',
      Text: 'Bread',
      Participants: [shop.phone.account.phone],
    })
    const id = await says(shop, String(JID), 'for the group')
    await bakery.wait((message) => message.id === id)
    expect(bakery.hosted.messages.all()).to.deep.equal([])
    isClean()
  })
})

describe('messages that a device could not decrypt', () => {
  let shop: TokenShop
  let owner: Phone
  let session: LinkedSession
  beforeEach(async () => {
    shop = await openTokenShop()
    owner = await shop.loose.phones.create({ name: 'Shop', business: true })
    session = await shop.linked(owner)
    await shop.knowsSalt(session)
  })
  afterEach(() => shop.stop())

  it('are sent again to a hosted one with a token, and marked', async () => {
    const bakery = await shop.loose.phones.create({ name: 'Bakery', business: true })
    await bakery.act({ Action: 'addHostedDevice' })
    shop.loose.network.fault({ Fault: 'garble', Phone: bakery.account.phone, Count: 1 })
    const { status, data } = await shop.says(session, bakery.account.lid, { Body: 'again' })
    expect(status).to.equal(200)
    await bakery.hosted.messages.wait(({ id }) => id === data.Id)
    const resent = shop.sentTo(bakery).at(-1)
    const to = bakery.account.lid.replace('@lid', ':99@hosted.lid')
    expect(resent?.attrs).to.include({ to, device_fanout: 'false' })
    expect(child(resent, 'meta')?.attrs).to.deep.equal({ sender_intent: 'hosted' })
    expect(shop.tokenTo(bakery)).to.deep.equal(shop.contactToken(owner, bakery))
    expect([shop.counter('tokenless'), shop.counter('misaddressed')]).to.deep.equal([0, 0])
  })

  for (const kind of ['companion', 'hosted device'] as const)
    it(`are sent again to an own ${kind} alone, for the chat of the recipient`, async () => {
      const ana = await shop.phone('Ana')
      const other = kind === 'companion' ? await shop.linked(owner) : undefined
      if (!other) await owner.act({ Action: 'addHostedDevice' })
      await shop.says(session, ana.account.lid, { Body: 'first' })
      shop.loose.network.fault({ Fault: 'garble', Phone: owner.account.phone, Count: 1 })
      const { data } = await shop.says(session, ana.account.lid, { Body: 'again' })
      if (other) {
        await messageLogged(shop.gateway, other.headers, data.Id)
        const { data: log } = await other.get('/events?limit=1000&class=Message')
        const copy = log.Events.find(
          ({ event }: { event: { Info?: { ID: string } } }) => event.Info?.ID === data.Id,
        )
        expect(copy.event.Info).to.include({ Chat: ana.account.lid, IsFromMe: true })
      } else {
        const copy = await owner.hosted.messages.wait(({ id }) => id === data.Id)
        expect(copy).to.deep.include({ chat: ana.account.lid, fromMe: true })
      }
      const resent = shop.sentTo(owner).filter(({ attrs }) => attrs['id'] === data.Id)
      expect(resent.map(({ attrs }) => attrs['recipient'])).to.deep.equal([ana.account.lid])
      expect(shop.sentTo(ana).filter(({ attrs }) => attrs['id'] === data.Id)).to.have.length(1)
    })
})
