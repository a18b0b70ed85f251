import { expect } from 'chai'
import { loadConfig } from '../../../../../config/load.ts'
import { retryReasonOf } from '../../../../../plugins/baileys/socket/retries/retry-requests.ts'
import type { Phone } from '../../../../../plugins/sandbox/phone/phone.ts'
import { child } from '../../../../../plugins/sandbox/stanza.ts'
import type { Stanza } from '../../../../../plugins/sandbox/types.ts'
import { eventually } from '../../../../support/eventually.ts'
import { type TestGateway, testGateway } from '../../../../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../../../../support/network.ts'
import { type LinkedSession, linkPhone, messageLogged } from '../../../../support/sessions.ts'

describe('requests to send a message again', () => {
  const receipts: Stanza[] = []
  let loose: LooseNetwork
  let gateway: TestGateway
  let session: LinkedSession
  let shop: Phone
  let ana: Phone
  before(async () => {
    loose = await startNetwork({
      observe(event) {
        if (event.kind !== 'stanza' || event.stanza.attrs['type'] !== 'retry') return
        if (event.stanza.tag === 'receipt') receipts.push(event.stanza)
      },
    })
    const { plugins } = await loadConfig({ WAMUX_BAILEYS_NETWORK: loose.card })
    gateway = testGateway({ plugins })
    await gateway.start()
    shop = await loose.phones.create({ name: 'Shop' })
    ana = await loose.phones.create({ name: 'Ana' })
    session = await linkPhone(gateway, shop)
  })
  after(async () => {
    await gateway.stop()
    await loose.network.close()
  })
  afterEach(() => loose.network.fault({ Fault: 'clear' }))

  const requests = (id: string) => receipts.filter(({ attrs }) => attrs['id'] === id)
  const retryOf = (receipt: Stanza | undefined) => child(receipt, 'retry')?.attrs
  const garbled = async (to: string, Text: string, Count = 1): Promise<string> => {
    loose.network.fault({ Fault: 'garble', Phone: shop.account.phone, Count })
    return ana.send(to, { Text })
  }

  it('give the reason, and keys for a new session from the second one on (whatsapp/31)', async () => {
    const first = await garbled(shop.account.phone, 'garbled at first')
    await messageLogged(gateway, session.headers, 'garbled at first')
    expect(requests(first).map((one) => retryOf(one)?.['error'])).to.deep.equal(['4'])
    // Of a session that both sides have written in, the last byte of a message is its MAC.
    const { data } = await session.post('/send/text', { Phone: ana.account.phone, Body: 'an answer' })
    await ana.wait(({ id }) => id === data.Id)
    const id = await garbled(shop.account.phone, 'twice garbled', 2)
    await messageLogged(gateway, session.headers, 'twice garbled')
    const asked = requests(id)
    expect(asked.map((one) => retryOf(one)?.['count'])).to.deep.equal(['1', '2'])
    expect(asked.map((one) => retryOf(one)?.['error'])).to.deep.equal(['7', '7'])
    expect(asked.map((one) => child(one, 'keys')?.tag)).to.deep.equal([undefined, 'keys'])
    for (const { attrs } of asked) expect(attrs).not.to.have.any.keys('recipient', 'participant')
  })

  it('name in a group the member and no recipient', async () => {
    const { JID } = await ana.act({ Action: 'createGroup', Text: 'G', Participants: [shop.account.phone] })
    const id = await garbled(String(JID), 'garbled in a group')
    await messageLogged(gateway, session.headers, 'garbled in a group')
    const [receipt] = requests(id)
    expect(retryOf(receipt)).to.include({ count: '1', error: '5' })
    expect(receipt?.attrs).to.include({ to: JID, participant: ana.account.lid })
    expect(receipt?.attrs).not.to.have.property('recipient')
  })

  it('name the chat of what an own device has sent', async () => {
    loose.network.fault({ Fault: 'garble', Phone: shop.account.phone })
    const id = await shop.send(ana.account.phone, { Text: 'from the phone' })
    await messageLogged(gateway, session.headers, 'from the phone')
    expect(requests(id).map(({ attrs }) => attrs['recipient'])).to.deep.equal([ana.account.lid])
  })

  it('are forwarded, all of them', async () => {
    const counters = () => loose.network.view()['Counters'] as Record<string, number>
    await eventually(() => counters()['retries'] === receipts.length, 'all are forwarded')
    expect(counters()).to.include({ malformedRetries: 0 })
    expect(counters()['retryReasons']).to.have.property('7')
    expect(counters()['retryReasons']).not.to.have.property('0')
  })

  it('know the errors of libsignal', () => {
    const reasons = [
      'No session record',
      'Invalid PreKey ID',
      'Over 2000 messages into the future!',
      'No SenderKeyRecord found for decryption',
      'anything else',
    ].map((text) => retryReasonOf(new Error(text)))
    expect(reasons).to.deep.equal([1, 3, 6, 1, 0])
    const cause = new Error('Bad MAC')
    expect(retryReasonOf(new Error('No matching sessions found for message', { cause }))).to.equal(7)
  })
})
