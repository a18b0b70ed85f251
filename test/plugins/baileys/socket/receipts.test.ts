import type { BinaryNode } from '@whiskeysockets/baileys'
import { expect } from 'chai'
import { eventually } from '../../../support/eventually.ts'
import { createProbe } from '../../../support/probe.ts'
import { openShop, type Shop } from '../../../support/world.ts'

describe('receipts', () => {
  const probe = createProbe()
  let shop: Shop
  before(async () => {
    shop = await openShop({ extra: [probe.plugin] })
  })
  after(() => shop.world.stop())

  it('are logged and acknowledged without Baileys, except those that ask for something', async () => {
    const { world, session, ana } = shop
    const { wa } = await probe.socket(session)
    const seen: (string | undefined)[] = []
    wa.ws.on('CB:receipt', ({ attrs }: BinaryNode) => seen.push(attrs['type']))
    const { data } = await session.post('/send/text', { Phone: ana.account.phone, Body: 'hello' })
    const read = probe.event('ReadReceipt', ({ Type }) => Type === 'read')
    await ana.act({ Action: 'read', Chat: session.phone.account.phone, Id: data.Id })
    await read
    const { phones } = world.gateway.service('sandbox')
    const companions = () =>
      phones.get(session.phone.account.phone).view()['Companions'] as { Waiting: number }[]
    await eventually(() => companions()[0]?.Waiting === 0, 'the network has the ack of each receipt')
    expect(
      probe.events('ReadReceipt').map(({ body }) => (body['event'] as { Type: string }).Type),
    ).to.include.members(['', 'read'])
    expect(seen).to.deep.equal([])
    wa.ws.emit('CB:receipt', {
      tag: 'receipt',
      attrs: { id: data.Id, from: ana.account.lid, type: 'sender' },
    })
    await eventually(() => seen.length === 1, 'Baileys sees other receipts')
  })
})
