import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../../support/eventually.ts'
import { type LinkedSession, messageLogged } from '../../../support/sessions.ts'
import { startWorld, type World } from '../../../support/world.ts'

describe('devices that nobody was told of', () => {
  let world: World
  let shop: LinkedSession
  let ana: Phone
  beforeEach(async () => {
    world = await startWorld()
    shop = await world.linked(await world.phone('Shop'))
    ana = await world.phone('Ana')
  })
  afterEach(() => world.stop())

  const count = (name: string): number => world.counters()[name] ?? 0
  const says = async (Phone: string, Body: string): Promise<string> => {
    const { status, data } = await shop.post('/send/text', { Phone, Body })
    expect(status).to.equal(200)
    return data.Id
  }
  const linkedQuietly = async (phone: Phone): Promise<LinkedSession> => {
    world.fault({ Fault: 'quietDevices' })
    const companion = await world.linked(phone)
    world.fault({ Fault: 'clear' })
    return companion
  }

  for (const form of ['jid', 'lid'] as const)
    it(`of the recipient and of the account get the message and the next one, by ${form}`, async () => {
      const to = ana.account[form]
      await says(to, 'before')
      const [theirs, own] = [await linkedQuietly(ana), await linkedQuietly(shop.phone)]
      const first = await says(to, 'first')
      for (const { headers } of [theirs, own]) await messageLogged(world.gateway, headers, 'first')
      expect(count('outdatedDevices')).to.equal(1)
      await says(to, 'second')
      for (const { headers } of [theirs, own]) await messageLogged(world.gateway, headers, 'second')
      expect([count('outdatedDevices'), count('retries')]).to.deep.equal([1, 0])
      const { data } = await own.get('/events?limit=1000&class=Message')
      const copy = data.Events.find((event: object) => JSON.stringify(event).includes(first))
      expect(JSON.stringify(copy)).to.include(ana.account.lid)
      const got = ana.messages().filter(({ id }) => id === first)
      expect(got).to.have.length(1)
    })

  it('of a member of a group get the key with the message after that', async () => {
    const { JID } = await ana.act({
      Action: 'createGroup',
      Text: 'G',
      Participants: [shop.phone.account.phone],
    })
    await says(String(JID), 'before')
    const companion = await linkedQuietly(ana)
    await says(String(JID), 'first')
    await messageLogged(world.gateway, companion.headers, 'first')
    expect(count('outdatedDevices')).to.equal(1)
    await eventually(async () => {
      const before = count('outdatedDevices')
      await says(String(JID), 'again')
      return count('outdatedDevices') === before
    }, 'the devices are known')
    const retries = count('retries')
    await says(String(JID), 'last')
    await messageLogged(world.gateway, companion.headers, 'last')
    expect(count('retries')).to.equal(retries)
  })
})

describe('devices that were announced', () => {
  it('of the account and of the other side get the next messages at once, in groups with the key (whatsapp/16)', async () => {
    const world = await startWorld()
    const shop = await world.linked(await world.phone('Shop'))
    const ana = await world.phone('Ana')
    const { JID } = await ana.act({
      Action: 'createGroup',
      Text: 'G',
      Participants: [shop.phone.account.phone],
    })
    const says = (Phone: unknown, Body: string) => shop.post('/send/text', { Phone, Body })
    for (const to of [JID, ana.account.lid]) await says(to, 'before')
    const companions = [await world.linked(shop.phone), await world.linked(ana)]
    await says(JID, 'to the group')
    await says(ana.account.lid, 'to Ana')
    for (const { headers } of companions)
      for (const text of ['to the group', 'to Ana']) await messageLogged(world.gateway, headers, text)
    expect(world.counters()).to.include({ outdatedDevices: 0, retries: 0 })
    await world.stop()
  })
})
