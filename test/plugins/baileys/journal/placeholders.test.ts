import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../../support/eventually.ts'
import { openTokenShop, type TokenShop } from '../send/token-shop.ts'

type Body = { event: { Info: Record<string, unknown>; Message: object } }

describe('messages of which only the phone has the content', () => {
  let shop: TokenShop
  let owner: Phone
  before(async () => {
    shop = await openTokenShop()
    owner = await shop.phone('Shop')
    await shop.linked(owner)
  })
  after(() => shop.stop())

  const act = (Action: string) => owner.act({ Action })
  const unavailable = (more: object = {}) =>
    shop.loose.network.fault({ Fault: 'unavailable', Phone: owner.account.phone, Count: 1, ...more })
  const logged = async (type: string, id: string, text = ''): Promise<Body['event']> => {
    const event = await shop.probe.event(
      type,
      (body) => (body['Info'] as { ID: string }).ID === id && JSON.stringify(body).includes(text),
    )
    return event.body['event'] as Body['event']
  }
  const requests = (): number => shop.sentTo(owner).filter(({ attrs }) => attrs['category'] === 'peer').length

  it('are asked for once, and keep chat, sender and name, however late the phone answers (whatsapp/17)', async () => {
    const ana = await shop.phone('Ana')
    const known = await ana.send(owner.account.phone, { Text: 'known' })
    const before = await logged('Message', known)
    await act('switchOff')
    const sent = requests()
    unavailable()
    const id = await ana.send(owner.account.phone, { Text: 'late' })
    await logged('UndecryptableMessage', id)
    shop.loose.network.fault({ Fault: 'redeliver', Phone: owner.account.phone, Count: 1 })
    const next = await ana.send(owner.account.phone, { Text: 'next' })
    await logged('Message', next)
    await eventually(() => requests() > sent, 'the phone is asked')
    await act('switchOn')
    const { Info, Message } = await logged('Message', id, 'late')
    expect(Message).to.include({ conversation: 'late' })
    for (const field of ['Chat', 'Sender', 'SenderAlt', 'PushName', 'IsGroup'])
      expect(Info[field], field).to.equal(before.Info[field])
    expect(requests()).to.equal(sent + 1)
  })

  it('are told apart by their senders, who may use the same id', async () => {
    const [bob, carol] = [await shop.phone('Bob'), await shop.phone('Carol')]
    const { JID } = await bob.act({
      Action: 'createGroup',
      Text: 'G',
      Participants: [owner.account.phone, carol.account.phone],
    })
    unavailable({ Count: 2 })
    const Id = '3A00000000000000000001'
    await bob.send(String(JID), { Text: 'of Bob', Id })
    await carol.send(String(JID), { Text: 'of Carol', Id })
    for (const [phone, text] of [
      [bob, 'of Bob'],
      [carol, 'of Carol'],
    ] as const) {
      const { Info } = await logged('Message', Id, text)
      expect(Info).to.include({ Sender: phone.account.lid, PushName: phone.account.name })
    }
  })

  it('are not asked for where they are for the phone alone', async () => {
    const dave = await shop.phone('Dave')
    const sent = requests()
    for (const Type of ['view_once', 'bot_unavailable_fanout', 'hosted_unavailable_fanout', 'hosted']) {
      unavailable({ Type })
      await logged('UndecryptableMessage', await dave.send(owner.account.phone, { Text: Type }))
    }
    const last = await dave.send(owner.account.phone, { Text: 'last' })
    await logged('Message', last)
    expect(requests()).to.equal(sent)
  })
})
