import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../../support/eventually.ts'
import type { LinkedSession } from '../../../support/sessions.ts'
import { openLinkedTokenShop, type TokenShop } from './token-shop.ts'

const BUCKETS = 909

describe('a privacy token that somebody has given', () => {
  let shop: TokenShop
  let owner: Phone
  let session: LinkedSession
  before(async () => {
    ;({ shop, owner, session } = await openLinkedTokenShop())
  })
  after(() => shop.stop())
  afterEach(() => shop.loose.network.fault({ Fault: 'clear' }))

  const keysOf = async () => (await shop.probe.socket(session)).wa.authState.keys
  const stored = async ({ account: { lid } }: Phone) => (await (await keysOf()).get('tctoken', [lid]))[lid]
  /** A person whose token is that old. */
  const trusting = async (Days: number): Promise<Phone> => {
    const phone = await shop.phone()
    await phone.act({ Action: 'trust', Chat: owner.account.phone, Data: { Days } })
    await eventually(async () => (await stored(phone))?.token?.length, 'a token')
    return phone
  }
  const reconnected = async (buckets: number): Promise<void> => {
    await session.post('/session/disconnect')
    await session.post('/session/connect', { Immediate: false })
    await session.status({ State: 'open' })
    const { abProp } = await shop.probe.socket(session)
    await eventually(() => abProp(BUCKETS, 0) === buckets, `${buckets} buckets`)
  }
  const sends = async (phone: Phone): Promise<void> => {
    const { status, error } = await shop.says(session, phone.account.jid)
    expect(status, error).to.equal(200)
  }

  it('is attached for as many buckets as the AB props say, 26 of them, and survives the pruning of Baileys (whatsapp/10)', async () => {
    const ana = await trusting(60)
    await sends(ana)
    expect(shop.tokenTo(ana)?.tag).to.equal('tctoken')
    await eventually(async () => {
      const { __index: index } = await (await keysOf()).get('tctoken', ['__index'])
      return String(index?.token).includes(ana.account.lid)
    }, 'listed for pruning')
    await eventually(() => shop.givenTo(ana) === 1, 'given in return')
    // A link prunes as soon as it is open.
    await reconnected(26)
    await sends(ana)
    expect(shop.tokenTo(ana)?.tag).to.equal('tctoken')
    expect((await stored(ana))?.token).to.have.length(16)
    const { lid } = ana.account
    const listed = await keysOf()
    // What Baileys writes when it takes a token for expired.
    await listed.set({ tctoken: { [lid]: { token: Buffer.alloc(0), senderTimestamp: 1 } } as never })
    expect((await stored(ana))?.token).to.have.length(16)
    expect(await stored(ana)).to.have.property('timestamp')
    await listed.set({ tctoken: { [lid]: null, __index: { token: Buffer.from('[]') } } })
    expect((await stored(ana))?.token).to.have.length(16)
    expect(String((await listed.get('tctoken', ['__index']))['__index']?.token)).to.equal(`["${lid}"]`)
  })

  it('is not attached afterwards: then it is a first contact again (whatsapp/10)', async () => {
    const bob = await trusting(190)
    await sends(bob)
    expect(shop.tokenTo(bob)).to.deep.equal(shop.contactToken(owner, bob))
    const caio = await trusting(60)
    shop.loose.network.fault({ Fault: 'props', Phone: owner.account.phone, Props: { [BUCKETS]: '4' } })
    await reconnected(4)
    await sends(caio)
    expect(shop.tokenTo(caio)).to.deep.equal(shop.contactToken(owner, caio))
    await (await keysOf()).set({ tctoken: { [caio.account.lid]: null } })
    expect((await stored(caio))?.token ?? []).to.have.length(0)
  })
})
