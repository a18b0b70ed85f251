import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import type { LinkedSession } from '../../../support/sessions.ts'
import { openTokenShop, type TokenShop } from './token-shop.ts'

/** Accounts with the number that WhatsApp knows, and how people write it. */
const NUMBERS = [
  { known: '551187654321', written: '5511987654321', what: 'that people write with the ninth digit' },
  { known: '5521998765432', written: '552198765432', what: 'that people write without the ninth digit' },
] as const

describe('a Brazilian number', () => {
  let shop: TokenShop
  const phones = new Map<string, Phone>()
  const sessions = new Map<boolean, LinkedSession>()
  before(async () => {
    shop = await openTokenShop()
    for (const { known } of NUMBERS)
      phones.set(known, await shop.loose.phones.create({ name: known, phone: known }))
    for (const lidMigrated of [true, false]) {
      const session = await shop.linked(await shop.loose.phones.create({ name: 'Shop', lidMigrated }))
      await shop.knowsSalt(session)
      sessions.set(lidMigrated, session)
    }
  })
  after(() => shop.stop())

  it('is found under both spellings, also at once', async () => {
    const session = sessions.get(true) as LinkedSession
    for (const { known, written } of NUMBERS) {
      const { jid, lid } = (phones.get(known) as Phone).account
      for (const Phone of [[written], [written, known], [known, written]]) {
        const { data, error } = await session.post('/user/check', { Phone })
        const found = { IsInWhatsapp: true, JID: jid, LID: lid, VerifiedName: '' }
        expect(data.Users, error).to.deep.equal(Phone.map((Query) => ({ Query, ...found })))
      }
    }
    const { data } = await session.post('/user/check', { Phone: ['5511987650000', '551132654321'] })
    expect((data.Users as { IsInWhatsapp: boolean }[]).map((one) => one.IsInWhatsapp)).to.deep.equal([
      false,
      false,
    ])
  })

  for (const lidMigrated of [true, false])
    for (const { known, written, what } of NUMBERS)
      it(`${what} is written to by ${lidMigrated ? 'LID' : 'number'}`, async () => {
        const session = sessions.get(lidMigrated) as LinkedSession
        const phone = phones.get(known) as Phone
        const { jid } = phone.account
        for (const Id of ['FIRST', 'SECOND'].map((one) => `${one}${known}${lidMigrated}`)) {
          const { status, error } = await shop.says(session, written, { Id })
          expect(status, error).to.equal(200)
          await phone.wait(({ id }) => id === Id)
          const { body } = await shop.probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === Id)
          expect((body['event'] as { Info: object }).Info).to.include({ Chat: jid, IsFromMe: true })
          if (lidMigrated) expect(shop.sentTo(phone).at(-1)?.attrs).to.include({ peer_recipient_pn: jid })
          const { data } = await session.post('/message/status', { Id, Chat: written })
          expect(data).to.include({ IsFromMe: true })
        }
      })

  it('that nobody has is refused under both spellings', async () => {
    for (const session of sessions.values())
      for (const number of ['5511912345678', '551112345678'])
        expect((await shop.says(session, number)).status).to.equal(404)
  })
})
