import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { child, children } from '../../../../plugins/sandbox/stanza.ts'
import type { Stanza } from '../../../../plugins/sandbox/types.ts'
import { eventually } from '../../../support/eventually.ts'
import { type LinkedSession, messageLogged } from '../../../support/sessions.ts'
import { openTokenShop, type TokenShop } from './token-shop.ts'

const serverOf = (jid = ''): string => jid.split('@')[1] ?? ''

/** The spaces of all addresses in a message. */
function spacesOf(stanza: Stanza | undefined): string[] {
  const devices = children(child(stanza, 'participants'), 'to').map(({ attrs }) => attrs['jid'])
  return [...new Set([stanza?.attrs['to'], ...devices].map(serverOf))]
}

describe('the space of addresses that a session writes in', () => {
  let shop: TokenShop
  let ana: Phone
  before(async () => {
    shop = await openTokenShop()
    ana = await shop.phone('Ana')
  })
  after(() => shop.stop())
  afterEach(() => shop.loose.network.fault({ Fault: 'clear' }))

  const of = (lidMigrated: boolean) => shop.loose.phones.create({ name: 'Shop', lidMigrated })
  async function linked(owner: Phone): Promise<LinkedSession> {
    const session = await shop.linked(owner)
    await shop.knowsSalt(session)
    return session
  }
  const refused = (): number => shop.counter('misaddressed')
  const says = (session: LinkedSession, to: string) => shop.says(session, to)

  /** The message arrives at its recipient and at the own phone, in its chat there. */
  async function sends(session: LinkedSession, to: string, recipient: Phone = ana): Promise<Stanza> {
    const { status, data, error } = await says(session, to)
    expect(status, error).to.equal(200)
    await recipient.wait(({ id }) => id === data.Id)
    const copy = await session.phone.wait(({ id }) => id === data.Id)
    const stanza = shop.sentTo(recipient).at(-1) as Stanza
    expect(serverOf(copy.chat)).to.equal(serverOf(stanza.attrs['to']))
    return stanza
  }

  for (const [lidMigrated, space] of [
    [true, 'lid'],
    [false, 's.whatsapp.net'],
  ] as const) {
    it(`is ${space} for an account that ${lidMigrated ? 'has' : 'has not'} been migrated`, async () => {
      const owner = await of(lidMigrated)
      const session = await linked(owner)
      const before = refused()
      for (const { account, phone } of [
        { account: ana.account, phone: ana },
        { account: owner.account, phone: owner },
      ]) {
        for (const to of [account.jid, account.lid]) {
          const stanza = await sends(session, to, phone)
          expect(spacesOf(stanza)).to.deep.equal([space])
          expect(stanza.attrs['peer_recipient_pn']).to.equal(lidMigrated ? account.jid : undefined)
        }
      }
      expect(refused()).to.equal(before)
    })

    it(`is ${space} for what is sent again, too`, async () => {
      const session = await linked(await of(lidMigrated))
      const bea = await shop.phone('Bea')
      const companion = await shop.linked(bea)
      const before = refused()
      shop.loose.network.fault({ Fault: 'garble', Phone: bea.account.phone, Count: 1 })
      expect((await shop.says(session, bea.account.jid, { Body: 'again' })).status).to.equal(200)
      await messageLogged(shop.gateway, companion.headers, 'again')
      const resent = shop.sentTo(bea).filter(({ attrs }) => attrs['device_fanout'] === 'false')
      expect(resent.map(({ attrs }) => serverOf(attrs['to']))).to.deep.equal([space])
      expect(refused()).to.equal(before)
    })
  }

  it('leaves the chat of a message as it was given, in the answer, events and receipts', async () => {
    const session = await linked(await of(true))
    for (const to of [ana.account.jid, ana.account.lid]) {
      const { data } = await says(session, to)
      expect(data.Chat ?? to).to.equal(to)
      await ana.act({ Action: 'read', Chat: session.phone.account.phone, Id: data.Id })
      const { body } = await shop.probe.event(
        'ReadReceipt',
        ({ MessageIDs, Type }) => Type === 'read' && (MessageIDs as string[]).includes(data.Id),
      )
      expect(body['event']).to.include({ Chat: to, Sender: to })
      const state = async () => (await session.post('/message/status', { Id: data.Id })).data
      expect(JSON.stringify(await state())).to.include('Read')
    }
  })

  it('is the other one after a refusal, and stays so (whatsapp/04)', async () => {
    const owner = await of(false)
    const session = await linked(owner)
    await sends(session, ana.account.jid)
    await owner.act({ Action: 'migrate' })
    const before = refused()
    expect(spacesOf(await sends(session, ana.account.jid))).to.deep.equal(['lid'])
    expect(refused()).to.equal(before + 1)
    await sends(session, ana.account.lid)
    expect(refused()).to.equal(before + 1)
    await session.post('/session/disconnect')
    await session.post('/session/connect', { Immediate: false })
    await session.status({ State: 'open' })
    await sends(session, ana.account.jid)
    expect(refused()).to.equal(before + 1)
  })

  it('is tried once, where the network refuses both', async () => {
    const owner = await of(true)
    const session = await linked(owner)
    const sent = shop.sentTo(ana).length
    shop.loose.network.fault({ Fault: 'refuse', Phone: owner.account.phone, Code: 400 })
    expect((await says(session, ana.account.jid)).status).not.to.equal(200)
    expect(shop.sentTo(ana).length).to.equal(sent + 2)
    shop.loose.network.fault({ Fault: 'clear' })
    expect(spacesOf(await sends(session, ana.account.jid))).to.deep.equal(['lid'])
  })

  it('is learnt from AB props, as soon as they have changed', async () => {
    const owner = await of(false)
    shop.loose.network.fault({ Fault: 'props', Phone: owner.account.phone, Props: {}, Ms: 1000 })
    const session = await linked(owner)
    await sends(session, ana.account.jid)
    await owner.act({ Action: 'migrate' })
    const { abProp } = await shop.probe.socket(session)
    await eventually(() => abProp(9435, false) || undefined, 'the prop')
    const before = refused()
    expect(spacesOf(await sends(session, ana.account.jid))).to.deep.equal(['lid'])
    expect(refused()).to.equal(before)
  })
})
