import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { type LinkedSession, messageLogged } from '../../../support/sessions.ts'
import { startWorld, type World } from '../../../support/world.ts'

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
    it(`are encrypted for it, and for the own one, by ${lidMigrated ? 'LID' : 'number'}`, async () => {
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
