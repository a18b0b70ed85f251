import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { type Client, linkClient } from '../../support/clients/client.ts'
import { eventually } from '../../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'

const DAY = 86_400
const WEEK = 604_800

describe('disappearing messages of phones', () => {
  let loose: LooseNetwork
  let ana: Phone
  let bob: Phone
  before(async () => {
    loose = await startNetwork()
  })
  after(() => loose.network.close())
  beforeEach(async () => {
    ana = await loose.phones.create({ name: 'Ana' })
    bob = await loose.phones.create({ name: 'Bob' })
  })
  afterEach(() => loose.network.fault({ Fault: 'clear' }))

  const setTimer = (phone: Phone, other: Phone, Seconds: number, data = {}) =>
    phone.act({ Action: 'setTimer', Chat: other.account.phone, Data: { Seconds, ...data } })
  const arrived = (phone: Phone, id: unknown) => phone.wait((message) => message.id === id)
  const say = async (from: Phone, to: Phone | string, text = 'hi') =>
    from.send(typeof to === 'string' ? to : to.account.phone, { Text: text })

  it('have the timer of the chat, in the form that the others read', async () => {
    await arrived(ana, (await setTimer(bob, ana, DAY))['Id'])
    const reply = await arrived(bob, await say(ana, bob))
    expect(reply).to.include({ expiration: DAY })
    expect(reply).not.to.have.property('willNotDisappear')
    expect(reply.message).to.have.nested.property('extendedTextMessage.text', 'hi')
    const context = reply.raw.extendedTextMessage?.contextInfo
    expect(Number(context?.ephemeralSettingTimestamp)).to.be.closeTo(Date.now() / 1000, 60)
    expect(context?.disappearingMode).to.include({ initiator: 0, trigger: 1 })
    await arrived(ana, (await setTimer(bob, ana, 0))['Id'])
    expect(await arrived(bob, await say(ana, bob))).not.to.have.property('expiration')
  })

  it('show a warning if they have not the timer of the chat (whatsapp/07)', async () => {
    await arrived(ana, (await setTimer(bob, ana, DAY))['Id'])
    loose.network.fault({ Fault: 'oldClient', Phone: ana.account.phone })
    const plain = await arrived(bob, await say(ana, bob))
    expect(plain).to.include({ willNotDisappear: true }).and.not.have.property('expires')
    loose.network.fault({ Fault: 'clear' })
    const stale = { text: 'hi', contextInfo: { expiration: WEEK, ephemeralSettingTimestamp: 1_000 } }
    loose.network.fault({ Fault: 'oldClient', Phone: ana.account.phone })
    const id = await ana.send(bob.account.phone, { Message: { extendedTextMessage: stale } })
    expect(await arrived(bob, id)).to.include({ willNotDisappear: true, expiration: WEEK })
    loose.network.fault({ Fault: 'clear' })
    expect(await arrived(ana, await say(bob, ana))).to.include({ expiration: DAY })
    const [, shown] = bob.display.page(ana.account.phone, Number.MAX_SAFE_INTEGER, 2)
    expect(shown).to.include({ FromMe: true }).and.have.property('Expires')
  })

  it('follow the newer of two settings, and drop one without a time (whatsapp/08, whatsapp/09)', async () => {
    const first = await arrived(ana, (await setTimer(bob, ana, DAY))['Id'])
    expect(first.raw.protocolMessage?.ephemeralExpiration).to.equal(DAY)
    await arrived(ana, (await setTimer(bob, ana, WEEK, { Timeless: true }))['Id'])
    expect(await arrived(bob, await say(ana, bob))).to.include({ expiration: DAY })
    const newer = { expiration: WEEK, ephemeralSettingTimestamp: Math.floor(Date.now() / 1000) + 5 }
    loose.network.fault({ Fault: 'oldClient', Phone: bob.account.phone })
    const Message = { extendedTextMessage: { text: 'hi', contextInfo: newer } }
    await arrived(ana, await bob.send(ana.account.phone, { Message }))
    expect(await arrived(bob, await say(ana, bob))).to.include({ expiration: WEEK })
  })

  it('disappear when their time is up, also from the history, unless they are kept (whatsapp/39)', async () => {
    await arrived(ana, (await setTimer(bob, ana, DAY))['Id'])
    const ids = [await say(ana, bob, 'one'), await say(ana, bob, 'two')]
    await arrived(bob, ids[1])
    await arrived(ana, (await bob.act({ Action: 'keep', Chat: ana.account.phone, Id: ids[1] ?? '' }))['Id'])
    const left = (phone: Phone) => phone.messages().map(({ id }) => id)
    loose.network.fault({ Fault: 'clock', Ms: (DAY - 60) * 1000 })
    expect(left(bob)).to.include.members(ids)
    loose.network.fault({ Fault: 'clock', Ms: (DAY + 60) * 1000 })
    for (const phone of [ana, bob]) expect(left(phone)).to.include(ids[1]).and.not.include(ids[0])
    await arrived(ana, (await bob.act({ Action: 'keep', Id: ids[1] ?? '', Data: { On: false } }))['Id'])
    for (const phone of [ana, bob]) expect(left(phone)).not.to.include(ids[1])
  })

  it('have the default of the account in chats that it begins', async () => {
    await ana.act({ Action: 'setDisappearing', Data: { Seconds: WEEK } })
    const message = await arrived(bob, await say(ana, bob))
    expect(message).to.include({ expiration: WEEK }).and.not.have.property('willNotDisappear')
    expect(message.raw.extendedTextMessage?.contextInfo?.disappearingMode?.trigger).to.equal(2)
    expect(await arrived(ana, await say(bob, ana))).to.include({ expiration: WEEK })
  })

  it('have the timer of their group, with what that was set by and without a time', async () => {
    const { JID } = await ana.act({
      Action: 'createGroup',
      Text: 'Team',
      Participants: [bob.account.phone],
    })
    const group = String(JID)
    await ana.act({ Action: 'ephemeral', Chat: group, Data: { Seconds: DAY } })
    await arrived(bob, await say(ana, group))
    const message = await arrived(ana, await say(bob, group))
    expect(message).to.include({ expiration: DAY }).and.not.have.property('willNotDisappear')
    const context = message.raw.extendedTextMessage?.contextInfo
    expect(context?.disappearingMode).to.include({ initiator: 0, trigger: 1 })
    expect(Number(context?.ephemeralSettingTimestamp)).to.equal(0)
    loose.network.fault({ Fault: 'oldClient', Phone: bob.account.phone })
    expect(await arrived(ana, await say(bob, group))).to.include({ willNotDisappear: true })
  })

  it('are in the history of a companion with the timer of their chat, in milliseconds', async () => {
    const setting = await setTimer(bob, ana, DAY)
    await arrived(ana, setting['Id'])
    const client: Client = await linkClient(loose.network, ana)
    const { history } = client
    const chat = await eventually(() => history.find((one) => one.ephemeralExpiration === DAY), 'told', {
      progress: () => history.length,
    })
    expect(Number(chat.ephemeralSettingTimestamp)).to.be.closeTo(Date.now(), 60_000)
    await client.close()
  })
})
