import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../../support/eventually.ts'
import { type LinkedSession, messageLogged } from '../../../support/sessions.ts'
import { openTokenShop, type TokenShop } from '../send/token-shop.ts'

describe('a Signal session with somebody whose address changes', () => {
  let shop: TokenShop
  before(async () => {
    shop = await openTokenShop()
  })
  after(() => shop.stop())
  afterEach(() => shop.loose.network.fault({ Fault: 'clear' }))

  const phone = (name: string) => shop.loose.phones.create({ name, lidMigrated: false })
  const fault = (Fault: string, more: object = {}) => shop.loose.network.fault({ Fault, ...more })
  let texts = 0

  /** Three messages each way. */
  async function talk(session: LinkedSession, peer: Phone): Promise<void> {
    for (const _ of [1, 2, 3]) {
      texts += 1
      await peer.send(session.phone.account.phone, { Text: `text ${texts}` })
      await messageLogged(shop.gateway, session.headers, `text ${texts}`)
      const { status, data, error } = await shop.says(session, peer.account.jid)
      expect(status, error).to.equal(200)
      await peer.wait(({ id }) => id === data.Id)
    }
  }

  /** Two who have talked, and know each other's number only. */
  async function numbersAlone() {
    fault('noAlternates')
    fault('noLids')
    const session = await shop.linked(await phone('Shop'))
    const ana = await phone('Ana')
    const before = shop.counter('retries')
    await talk(session, ana)
    return { session, ana, before }
  }

  async function sessionsWith(session: LinkedSession, { account }: Phone): Promise<string[]> {
    const { keys } = (await shop.probe.socket(session)).wa.authState
    const [pn, lid] = [`${account.phone}.0`, `${account.lid.split('@')[0]}_1.0`]
    return Object.entries(await keys.get('session', [pn, lid])).flatMap(([id, record]) => (record ? id : []))
  }

  /** Asks the network for the LID, as a look-up of the person does. */
  async function learns(session: LinkedSession, { account }: Phone): Promise<void> {
    const { altJid } = await shop.probe.socket(session)
    await eventually(async () => (await altJid(account.jid)) || undefined, 'the LID')
  }

  it('goes on under the LID that is learnt late, from stanzas that name the LID alone, and back (whatsapp/11)', async () => {
    const { session, ana, before } = await numbersAlone()
    expect(await sessionsWith(session, ana)).to.deep.equal([`${ana.account.phone}.0`])
    shop.loose.network.endFault({ Fault: 'noLids' })
    await learns(session, ana)
    const { keys } = (await shop.probe.socket(session)).wa.authState
    const identity = (await keys.get('identity-key', [`${ana.account.phone}.0`]))[`${ana.account.phone}.0`]
    await ana.act({ Action: 'migrate' })
    await talk(session, ana)
    expect(shop.counter('retries')).to.equal(before)
    const lid = `${ana.account.lid.split('@')[0]}_1.0`
    expect(await sessionsWith(session, ana)).to.deep.equal([lid])
    expect((await keys.get('identity-key', [lid]))[lid]).to.deep.equal(identity)
    await ana.act({ Action: 'migrate', Data: { On: false } })
    await talk(session, ana)
    expect(shop.counter('retries')).to.equal(before)
    expect(ana.failures).to.deep.equal([])
  })

  it('is found under the number, also if there is a newer one under the LID', async () => {
    const { session, ana, before } = await numbersAlone()
    shop.loose.network.endFault({ Fault: 'noLids' })
    await learns(session, ana)
    // What the other side does not know of: made for a message that never left.
    const { wa } = await shop.probe.socket(session)
    const [pn, lid] = [`${ana.account.phone}.0`, `${ana.account.lid.split('@')[0]}_1.0`]
    const { keys } = wa.authState
    const { [pn]: kept } = await keys.get('session', [pn])
    await keys.set({ session: { [pn]: null } })
    await wa.assertSessions([ana.account.lid], true)
    await keys.set({ session: { [pn]: kept ?? null } })
    expect((await sessionsWith(session, ana)).sort()).to.deep.equal([pn, lid].sort())
    await ana.act({ Action: 'migrate' })
    await talk(session, ana)
    expect(shop.counter('retries')).to.equal(before)
    expect(await sessionsWith(session, ana)).to.deep.equal([lid])
  })
})
