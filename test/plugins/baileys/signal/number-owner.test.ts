import { expect } from 'chai'
import chatLog from '../../../../plugins/chat-log/index.ts'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { child } from '../../../../plugins/sandbox/stanza.ts'
import { eventually } from '../../../support/eventually.ts'
import { type LinkedSession, messageLogged } from '../../../support/sessions.ts'
import { openTokenShop, type TokenShop } from '../send/token-shop.ts'

describe('a number that has a new owner', () => {
  let shop: TokenShop
  let session: LinkedSession
  let ana: Phone
  /** Ana's. */
  let number: string
  before(async () => {
    shop = await openTokenShop([{ plugin: chatLog }])
  })
  beforeEach(async () => {
    const owner = await shop.phone('Shop')
    session = await shop.linked(owner)
    await shop.knowsSalt(session)
    ana = await shop.phone('Ana')
    number = ana.account.phone
  })
  after(() => shop.stop())
  afterEach(() => shop.loose.network.fault({ Fault: 'clear' }))

  const own = () => session.phone.account.phone

  async function reassign(): Promise<Phone> {
    const { LID } = await ana.act({ Action: 'reassign', Text: 'Bea' })
    return shop.loose.phones.get(String(LID))
  }

  async function talk(peer: Phone, to: string): Promise<void> {
    const text = `from ${peer.account.name} to ${to}`
    await peer.send(own(), { Text: text })
    await messageLogged(shop.gateway, session.headers, text)
    await arrives(to, peer)
  }

  async function arrives(to: string, at: Phone): Promise<void> {
    const { status, data, error } = await shop.says(session, to)
    expect(status, error).to.equal(200)
    await at.wait(({ id }) => id === data.Id)
  }

  async function knows(lid: string, pn: string): Promise<void> {
    const { knownAlt } = await shop.probe.socket(session)
    await eventually(async () => (await knownAlt(pn)) === lid || undefined, 'the LID of the new owner')
  }

  it('is that of the new account for everything that is sent, and the chats stay apart (whatsapp/36)', async () => {
    await talk(ana, number)
    expect(shop.tokenTo(ana)?.tag).to.equal('tctoken')
    const bea = await reassign()
    await knows(bea.account.lid, `${number}@s.whatsapp.net`)
    const before = shop.counter('retries')
    const known = ana.messages().length
    await arrives(number, bea)
    expect(shop.tokenTo(bea)).to.deep.equal(shop.contactToken(session.phone, bea))
    const stanza = shop.sentTo(bea).at(-1)
    expect(stanza?.attrs).to.include({ to: bea.account.lid, peer_recipient_pn: bea.account.jid })
    await talk(bea, number)
    expect(ana.messages()).to.have.length(known)
    await talk(ana, ana.account.lid)
    const toAna = shop.sentTo(ana).at(-1)
    expect(toAna?.attrs).to.include({ to: ana.account.lid }).and.not.have.property('peer_recipient_pn')
    expect(child(toAna, 'tctoken')).to.not.equal(undefined)
    expect(shop.counter('retries')).to.equal(before)

    const { data } = await session.get('/chats')
    const shown = data.Chats.map(({ Phone, LID, Name }: Record<string, string>) => ({ Phone, LID, Name }))
    expect(shown).to.deep.equal([
      { Phone: '', LID: ana.account.lid, Name: 'Ana' },
      { Phone: number, LID: bea.account.lid, Name: 'Bea' },
    ])
    const texts = async (chat: string): Promise<string[]> => {
      const { data } = await session.get(`/chats/${encodeURIComponent(chat)}/messages`)
      return data.Messages.map(({ Message }: { Message: { text: string } }) => Message.text)
    }
    // The newest is logged a moment after its answer.
    await eventually(async () => (await texts(ana.account.lid)).length > 3, 'the answer to Ana is logged')
    expect(await texts(number)).to.deep.equal(['hello', `from Bea to ${number}`, 'hello'])
    expect(await texts(ana.account.lid)).to.deep.equal([
      'hello',
      `from Ana to ${ana.account.lid}`,
      'hello',
      `from Ana to ${number}`,
    ])
  })

  it('is learnt from a message of the new owner, if nothing else told of it', async () => {
    await talk(ana, number)
    shop.loose.network.fault({ Fault: 'quietDevices' })
    const bea = await reassign()
    await bea.act({ Action: 'migrate', Data: { On: false } })
    const before = shop.counter('retries')
    await bea.send(own(), { Text: 'by number' })
    await messageLogged(shop.gateway, session.headers, 'by number')
    await knows(bea.account.lid, `${number}@s.whatsapp.net`)
    await talk(bea, number)
    await talk(ana, ana.account.lid)
    expect(shop.counter('retries')).to.equal(before)
  })

  it('is known to be so after a time without a link', async () => {
    await talk(ana, number)
    await session.post('/session/disconnect')
    const bea = await reassign()
    const known = ana.messages().length
    await session.post('/session/connect', { Immediate: false })
    await session.status({ State: 'open' })
    await knows(bea.account.lid, `${number}@s.whatsapp.net`)
    await arrives(number, bea)
    expect(ana.messages()).to.have.length(known)
  })
})
