import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../../support/eventually.ts'
import type { LinkedSession } from '../../../support/sessions.ts'
import { openLinkedTokenShop, type TokenShop } from './token-shop.ts'

describe('a refusal of a message to somebody new', () => {
  let shop: TokenShop
  let owner: Phone
  let session: LinkedSession
  let stranger: Phone
  before(async () => {
    ;({ shop, owner, session } = await openLinkedTokenShop())
  })
  after(() => shop.stop())
  beforeEach(async () => {
    stranger = await shop.phone()
  })
  afterEach(() => shop.loose.network.fault({ Fault: 'clear' }))

  const fault = (Fault: string, more: object = {}) =>
    shop.loose.network.fault({ Fault, Phone: owner.account.phone, ...more })
  const says = () => shop.says(session, stranger.account.jid)
  const failed = () =>
    shop.probe.event('SendFailed', ({ Chat }) =>
      [stranger.account.jid, stranger.account.lid].includes(String(Chat)),
    )

  it('with 463 during a timelock is that of the account, with its end, and not attempted again (whatsapp/06)', async () => {
    fault('timelock', { Ms: 3_600_000 })
    const answer = await says()
    expect(answer).to.include({ status: 403, errorCode: 'ACCOUNT_RESTRICTED' })
    const until = /until (\S+) \(463\)/.exec(answer.error ?? '')?.[1] ?? ''
    expect(Date.parse(until)).to.be.closeTo(Date.now() + 3_600_000, 60_000)
    expect((await failed()).body['event']).to.include({ Code: 'ACCOUNT_RESTRICTED', Until: until })
    expect(shop.sentTo(stranger)).to.have.length(1)
  })

  it('with 475 is that of the account, until the quota begins anew', async () => {
    fault('messageCap', { Count: 0 })
    const answer = await says()
    expect(answer).to.include({ status: 403, errorCode: 'ACCOUNT_RESTRICTED' })
    expect(answer.error).to.match(/until \S+ \(475\)/)
    expect(shop.sentTo(stranger)).to.have.length(1)
  })

  it('with 463 and without a timelock is that of a missing token, and without an end (whatsapp/06)', async () => {
    fault('refuse', { Code: 463, Count: 1 })
    expect(await says()).to.include({ status: 403, errorCode: 'TOKEN_MISSING' })
    const { body } = await failed()
    expect(body['event']).to.include({ Code: 'TOKEN_MISSING' }).and.not.have.property('Until')
    expect(shop.sentTo(stranger)).to.have.length(1)
  })

  it('leads to one more attempt where there is another token meanwhile', async () => {
    // The gateway does not get the new salt when it is told of it, and then looks for it again.
    fault('refuseSettings', { Count: 1 })
    await owner.act({ Action: 'salt' })
    await eventually(() => shop.loose.network.faults().length === 0, 'refused')
    const { status, error } = await says()
    expect(status, error).to.equal(200)
    expect(shop.tokenTo(stranger)).to.deep.equal(shop.contactToken(owner, stranger))
    expect(shop.sentTo(stranger)).to.have.length(2)
    expect(stranger.messages()).to.have.length(1)
  })
})
