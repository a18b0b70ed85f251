import { expect } from 'chai'
import { createProbe } from '../../../support/probe.ts'
import { openShop, type Shop } from '../../../support/world.ts'

describe('the event buffer of Baileys', () => {
  const probe = createProbe()
  let shop: Shop
  before(async () => {
    shop = await openShop({ extra: [probe.plugin] })
  })
  after(() => shop.world.stop())

  it('holds no message, and still passes on what a message says about its sender', async () => {
    const { session, ana } = shop
    const { wa } = await probe.socket(session)
    const seen: string[] = []
    for (const name of ['messages.upsert', 'contacts.update'] as const) wa.ev.on(name, () => seen.push(name))
    const about = new Promise((resolve) => wa.ev.on('contacts.update', resolve))
    await ana.send(session.phone.account.phone, { Text: 'hello' })
    await about
    expect(seen).to.deep.equal(['contacts.update'])
  })
})
