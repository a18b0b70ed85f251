import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { child } from '../../../../plugins/sandbox/stanza.ts'
import { eventually } from '../../../support/eventually.ts'
import { type LinkedSession, messageLogged } from '../../../support/sessions.ts'
import { openLinkedTokenShop, type TokenShop } from './token-shop.ts'

describe('privacy tokens of a message that is sent again', () => {
  let shop: TokenShop
  let owner: Phone
  let session: LinkedSession
  before(async () => {
    ;({ shop, owner, session } = await openLinkedTokenShop())
  })
  after(() => shop.stop())
  afterEach(() => shop.loose.network.fault({ Fault: 'clear' }))

  const resent = (phone: Phone) =>
    shop.sentTo(phone).filter(({ attrs }) => attrs['device_fanout'] === 'false')

  it('are there for one device, that of a first contact or that of the recipient (whatsapp/26)', async () => {
    const ana = await shop.phone()
    const companion = await shop.linked(ana)
    const garble = () => shop.loose.network.fault({ Fault: 'garble', Phone: ana.account.phone, Count: 1 })
    const before = shop.counter('tokenless')
    garble()
    expect((await shop.says(session, ana.account.jid, { Body: 'first' })).status).to.equal(200)
    await messageLogged(shop.gateway, companion.headers, 'first')
    expect(resent(ana)).to.have.length(1)
    expect(shop.tokenTo(ana)).to.deep.equal(shop.contactToken(owner, ana))

    await ana.send(owner.account.phone, { Text: 'hi' })
    const { keys } = (await shop.probe.socket(session)).wa.authState
    const { lid } = ana.account
    await eventually(async () => (await keys.get('tctoken', [lid]))[lid]?.token, 'a token')
    garble()
    expect((await shop.says(session, ana.account.jid, { Body: 'second' })).status).to.equal(200)
    await messageLogged(shop.gateway, companion.headers, 'second')
    expect(resent(ana)).to.have.length(2)
    expect(shop.tokenTo(ana)?.tag).to.equal('tctoken')
    expect(shop.counter('tokenless')).to.equal(before)
  })

  it('are not there for an own device, which gets the message all the same', async () => {
    const ana = await shop.phone()
    const { data } = await shop.says(session, ana.account.jid, { Body: 'for both' })
    await owner.wait(({ id }) => id === data.Id)
    const { JID } = (owner.view()['Companions'] as { JID: string }[])[0] ?? { JID: '' }
    await owner.act({ Action: 'askAgain', Id: data.Id, Companion: JID })
    const last = await shop.says(session, ana.account.jid, { Body: 'the last' })
    await owner.wait(({ id }) => id === last.data.Id)
    for (const stanza of shop.sentTo(owner)) expect(child(stanza, 'cstoken')).to.equal(undefined)
  })
})
