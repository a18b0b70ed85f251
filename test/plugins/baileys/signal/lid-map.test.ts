import { expect } from 'chai'
import { createLidMap, type LidPair, type NewOwner } from '../../../../plugins/baileys/signal/lid-map.ts'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { everyEngine } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import { openStoredKeys, type StoredKeys } from '../../../support/key-store.ts'
import { type LinkedSession, messageLogged } from '../../../support/sessions.ts'
import { openTokenShop, type TokenShop } from '../send/token-shop.ts'

const pair = (lid: string, pn: string): LidPair => ({ lid: `${lid}@lid`, pn: `${pn}@s.whatsapp.net` })

for (const engine of everyEngine) {
  describe(`the LIDs of a session (${engine.name})`, () => {
    let keys: StoredKeys
    /** What the network answers, by number. */
    let answers: Record<string, LidPair> = {}
    let lookUps: string[] = []
    let owners: NewOwner[] = []
    before(async () => {
      keys = await openStoredKeys(engine)
    })
    after(() => keys.close())
    beforeEach(() => {
      answers = {}
      lookUps = []
      owners = []
    })

    function open({ store }: Pick<ReturnType<StoredKeys['link']>, 'store'> = keys.link()) {
      const map = createLidMap(store, (owner) => owners.push(owner))
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

    it('take nothing over that was kept under the number of a former owner', async () => {
      const { store } = keys.link()
      const map = open({ store })
      await map.storeAnswers([pair('17', '27')])
      // The last one is that of a hosted device.
      const former = ['27.0', '27.5', '27_128.99']
      await store.set({
        session: Object.fromEntries([...former, '28.0'].map((id) => [id, Buffer.of(1)])),
        'identity-key': { '27.0': Buffer.of(1) },
        tctoken: { '27@s.whatsapp.net': { token: Buffer.of(1) } },
      })
      await map.storeAnswers([pair('17', '27')])
      expect(Object.keys(await store.get('session', former))).to.have.length(3)
      await map.storeAnswers([pair('18', '27')])
      expect(owners).to.deep.equal([{ ...pair('18', '27'), formerLid: '17@lid' }])
      expect(Object.keys(await store.get('session', [...former, '28.0']))).to.deep.equal(['28.0'])
      expect(await store.get('identity-key', ['27.0'])).to.deep.equal({})
      expect(await store.get('tctoken', ['27@s.whatsapp.net'])).to.deep.equal({})
    })

    it('are asked for where the identity key of a number has changed, and forgotten if that fails', async () => {
      const map = open()
      await map.storeAnswers([pair('19', '29')])
      answers['29@s.whatsapp.net'] = pair('20', '29')
      await map.confirm('29@s.whatsapp.net')
      expect(await map.getLIDForPN('29@s.whatsapp.net')).to.equal('20@lid')
      expect(lookUps).to.deep.equal(['29@s.whatsapp.net'])
      answers = {}
      await map.confirm('29@s.whatsapp.net')
      await map.confirmed('29@s.whatsapp.net')
      expect(await map.getPNForLID('20@lid')).to.equal(null)
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
    await bea.send(owner.account.phone, { Text: 'hi from Bea' })
    await shop.knowsSalt(session)
    const { wa, knownAlt } = await shop.probe.socket(session)
    // What comes from her later would contradict the wrong LID, and have it asked for.
    await messageLogged(shop.gateway, session.headers, 'hi from Bea')
    const token = async () => (await wa.authState.keys.get('tctoken', [bea.account.lid]))[bea.account.lid]
    await eventually(token, 'the token of Bea')
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
