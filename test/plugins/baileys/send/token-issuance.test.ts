import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../../support/eventually.ts'
import type { LinkedSession } from '../../../support/sessions.ts'
import { openLinkedTokenShop, type TokenShop } from './token-shop.ts'

const DAY = 86_400
const [SECONDS, BUCKETS] = [996, 997]

describe('the account gives its privacy token', () => {
  let shop: TokenShop
  let owner: Phone
  let session: LinkedSession
  before(async () => {
    ;({ shop, owner, session } = await openLinkedTokenShop())
  })
  after(() => shop.stop())
  afterEach(() => shop.loose.network.fault({ Fault: 'clear' }))

  const now = () => Math.floor(Date.now() / 1000)
  const says = async (phone: Phone): Promise<void> => {
    const { status, error } = await shop.says(session, phone.account.jid)
    expect(status, error).to.equal(200)
  }
  /** A person to whom the last token was given at this time (Unix seconds). */
  const givenAt = async (senderTimestamp: number): Promise<Phone> => {
    const phone = await shop.phone()
    const { keys } = (await shop.probe.socket(session)).wa.authState
    await keys.set({ tctoken: { [phone.account.lid]: { token: Buffer.alloc(0), senderTimestamp } } })
    return phone
  }
  /** Somebody new is given a token: whatever was due before has been given, too. */
  const others = async (): Promise<void> => {
    const phone = await shop.phone()
    await says(phone)
    await eventually(() => shop.givenTo(phone) === 1, 'given')
  }
  const props = async (Props: Record<string, string>): Promise<void> => {
    shop.loose.network.fault({ Fault: 'props', Phone: owner.account.phone, Props })
    await session.post('/session/disconnect')
    await session.post('/session/connect', { Immediate: false })
    await session.status({ State: 'open' })
    const { abProp } = await shop.probe.socket(session)
    await eventually(
      () => Object.entries(Props).every(([code, value]) => abProp(Number(code), '') === value),
      'the AB props are known',
    )
  }

  it('once per bucket of AB prop 996, counted from 1970 (whatsapp/25)', async () => {
    const early = shop.counter('earlyTokens')
    await props({ [SECONDS]: String(DAY) })
    const today = Math.floor(now() / DAY) * DAY
    const [ana, bob] = [await givenAt(today - 1), await givenAt(today)]
    for (const phone of [ana, ana, bob]) await says(phone)
    await eventually(() => shop.givenTo(ana), 'given')
    await others()
    expect(shop.givenTo(ana)).to.equal(1)
    expect(shop.givenTo(bob)).to.equal(0)

    const long = 180 * DAY
    await props({ [SECONDS]: String(long) })
    const caio = await givenAt(Math.max(now() - 8 * DAY, Math.floor(now() / long) * long))
    const dora = await givenAt(Math.floor(now() / long) * long - 1)
    for (const phone of [caio, dora]) await says(phone)
    await eventually(() => shop.givenTo(dora), 'given')
    await others()
    expect(shop.givenTo(caio)).to.equal(0)
    expect(shop.counter('earlyTokens')).to.equal(early)
  })

  it('again to a new identity, with its time, for as many buckets as AB prop 997 says (whatsapp/25)', async () => {
    const known = async (time: number): Promise<Phone> => {
      const phone = await givenAt(time)
      const id = await phone.send(owner.account.phone, { Text: 'hi' })
      await shop.probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === id)
      return phone
    }
    await props({ [BUCKETS]: '26' })
    const time = now() - 60 * DAY
    const [ana, bob] = [await known(time), await known(time)]
    await ana.act({ Action: 'announceIdentity' })
    await eventually(() => shop.givenTo(ana), 'given again')
    expect(shop.timesGivenTo(ana)).to.deep.equal([time])
    await props({ [BUCKETS]: '4' })
    const caio = await known(now() - 8 * DAY)
    await bob.act({ Action: 'announceIdentity' })
    await caio.act({ Action: 'announceIdentity' })
    await eventually(() => shop.givenTo(caio), 'given again')
    await others()
    expect(shop.givenTo(bob)).to.equal(0)
  })

  it('once, also where its messages are refused (whatsapp/25)', async () => {
    await owner.act({ Action: 'salt', Data: { On: false } })
    await shop.knowsSalt(session)
    const ana = await shop.phone()
    for (const _ of [1, 2]) expect((await shop.says(session, ana.account.jid)).status).to.equal(403)
    await eventually(() => shop.givenTo(ana), 'given')
    await owner.act({ Action: 'salt' })
    await shop.knowsSalt(session)
    await others()
    expect(shop.givenTo(ana)).to.equal(1)
  })
})
