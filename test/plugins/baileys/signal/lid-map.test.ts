import { expect } from 'chai'
import { createLidMap, type LidPair } from '../../../../plugins/baileys/signal/lid-map.ts'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { everyEngine } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import { openStoredKeys, type StoredKeys } from '../../../support/key-store.ts'
import type { LinkedSession } from '../../../support/sessions.ts'
import { openTokenShop, type TokenShop } from '../send/token-shop.ts'

const pair = (lid: string, pn: string): LidPair => ({ lid: `${lid}@lid`, pn: `${pn}@s.whatsapp.net` })

for (const engine of everyEngine) {
  describe(`the LIDs of a session (${engine.name})`, () => {
    let keys: StoredKeys
    /** What the network answers, by number. */
    let answers: Record<string, LidPair> = {}
    let lookUps: string[] = []
    before(async () => {
      keys = await openStoredKeys(engine)
    })
    after(() => keys.close())
    beforeEach(() => {
      answers = {}
      lookUps = []
    })

    function open() {
      const { store } = keys.link()
      const map = createLidMap(store)
      map.connect(async (pns) => {
        lookUps.push(...pns)
        return pns.flatMap((pn) => answers[pn] ?? [])
      })
      return map
    }

    it('are taken from anywhere where none is known', async () => {
      const map = open()
      await map.storeLIDPNMappings([pair('11', '21'), pair('12', '22')])
      expect(await map.getLIDForPN('21:3@s.whatsapp.net')).to.equal('11:3@lid')
      expect(await map.getPNForLID('12@lid')).to.equal('22@s.whatsapp.net')
      expect(lookUps).to.deep.equal([])
    })

    it('are asked for, once, where what is seen contradicts what is known (whatsapp/29)', async () => {
      const map = open()
      await map.storeAnswers([pair('13', '23')])
      answers['23@s.whatsapp.net'] = pair('13', '23')
      for (const _ of [1, 2]) await map.storeLIDPNMappings([pair('99', '23')])
      await eventually(() => lookUps.length > 0, 'asked')
      expect(await map.getLIDForPN('23@s.whatsapp.net')).to.equal('13@lid')
      expect(await map.getPNForLID('99@lid')).to.equal(null)
      expect(lookUps).to.deep.equal(['23@s.whatsapp.net'])
    })

    it('are replaced by an answer, and not found any more, by whoever had the number or the LID', async () => {
      const map = open()
      await map.storeLIDPNMappings([pair('14', '24'), pair('15', '25')])
      await map.storeAnswers([pair('16', '24')])
      expect(await map.getLIDForPN('24@s.whatsapp.net')).to.equal('16@lid')
      expect(await map.getPNForLID('14@lid')).to.equal(null)
      // The person has another number now.
      await map.storeAnswers([pair('15', '26')])
      expect(await map.getPNForLID('15@lid')).to.equal('26@s.whatsapp.net')
      expect(await map.getLIDForPN('25@s.whatsapp.net')).to.equal(null)
    })
  })
}

describe('a LID that is out of date', () => {
  let shop: TokenShop
  let owner: Phone
  let ana: Phone
  before(async () => {
    shop = await openTokenShop()
  })
  beforeEach(async () => {
    owner = await shop.phone('Shop')
    ana = await shop.phone('Ana')
    const id = await ana.send(owner.account.phone, { Text: 'hi' })
    await owner.wait((message) => message.id === id)
  })
  after(() => shop.stop())
  afterEach(() => shop.loose.network.fault({ Fault: 'clear' }))

  async function arrives(session: LinkedSession, to: string, at: Phone): Promise<void> {
    const { status, data, error } = await shop.says(session, to)
    expect(status, error).to.equal(200)
    await at.wait(({ id }) => id === data.Id)
  }

  it('is looked up again where the history names it, and nobody has it', async () => {
    shop.loose.network.fault({ Fault: 'staleHistory' })
    const session = await shop.linked(owner)
    await arrives(session, ana.account.jid, ana)
    const { knownAlt } = await shop.probe.socket(session)
    expect(await knownAlt(ana.account.jid)).to.equal(ana.account.lid)
    expect(await knownAlt(ana.account.lid.replace(/^9/, '8'))).to.equal('')
  })

  it('is looked up again where the ack of a message says so (whatsapp/28)', async () => {
    const session = await shop.linked(owner)
    const bea = await shop.phone('Bea')
    const id = await bea.send(owner.account.phone, { Text: 'hi' })
    await owner.wait((message) => message.id === id)
    await shop.knowsSalt(session)
    const { wa, knownAlt } = await shop.probe.socket(session)
    const user = (jid: string): string => jid.split('@')[0] ?? ''
    // After the history, which would have it asked for already.
    for (const { account } of [ana, bea]) {
      const isKnown = async () => (await knownAlt(account.jid)) === account.lid || undefined
      await eventually(isKnown, 'the history')
    }
    // The number was Bea's before.
    await wa.authState.keys.set({
      'lid-mapping': {
        [ana.account.phone]: user(bea.account.lid),
        [`${user(bea.account.lid)}_reverse`]: ana.account.phone,
      },
    })
    await arrives(session, ana.account.jid, bea)
    await eventually(
      async () => (await knownAlt(ana.account.jid)) === ana.account.lid || undefined,
      'the right LID',
    )
    expect(await knownAlt(bea.account.lid)).to.equal('')
    await arrives(session, ana.account.jid, ana)
  })
})
