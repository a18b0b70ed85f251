import { expect } from 'chai'
import type { StoredCreds } from '../../../../plugins/baileys/protocol/credentials.ts'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../../support/eventually.ts'
import { phoneHas } from '../../../support/phone-settings.ts'
import { createProbe } from '../../../support/probe.ts'
import type { LinkedSession } from '../../../support/sessions.ts'
import { openVersionShop, type VersionShop } from '../web-version/shop.ts'

const COLLECTION = 'regular_low'
/** AB props: whether phones restore collections, and up to how many settings. */
const ENABLED = 16_329
const MAX_SETTINGS = 18_786

describe('settings that can not be read', () => {
  const probe = createProbe()
  let shop: VersionShop
  let session: LinkedSession
  let phone: Phone
  const people: Phone[] = []
  const chat = (number: number): string => people[number]?.account.jid ?? ''
  before(async () => {
    shop = await openVersionShop({ extra: [{ plugin: probe.plugin }] })
    for (const name of ['Ana', 'Bob', 'Carol', 'Dave', 'Eve'])
      people.push(await shop.loose.phones.create({ name }))
  })
  after(() => shop.stop())
  beforeEach(async () => {
    session = await shop.link('Shop')
    phone = session.phone
    await probe.synced(session)
    await act('pin', 0)
    await event('Pin', 0)
  })
  afterEach(() => shop.loose.network.fault({ Fault: 'clear' }))

  const act = (Action: string, number = 0, more: object = {}) =>
    phone.act({ Action, Chat: chat(number), ...more })
  const events = async (type: string, number: number) => {
    const { id } = (await probe.session(session.token)) ?? { id: '' }
    return probe
      .events(type)
      .filter(({ session: of, body }) => of === id && (body['event'] as { JID: string }).JID === chat(number))
  }
  const event = (type: string, number: number) =>
    eventually(async () => (await events(type, number)).length > 0, `${type} of chat ${number}`)
  const requests = () => phone.view()['SettingsRequests'] as string[]
  const asked = (count: number) => eventually(() => requests().length >= count, `${count} requests`)
  const spoil = (more: object = {}) =>
    shop.loose.network.fault({
      Fault: 'spoilSettings',
      Phone: phone.account.phone,
      Type: COLLECTION,
      ...more,
    })
  const change = async (number: number) => {
    const { modify } = await probe.socket(session)
    // A restored collection is stored after the events of its settings.
    await eventually(() => modify({ pin: true }, chat(number)).then(() => true), 'a change')
    return phoneHas(phone, ['pin_v1', chat(number)])
  }

  describe('for want of a key', () => {
    it('are read once the phone, asked for it, has shared it (whatsapp/37)', async () => {
      await act('renewSettingsKey')
      await act('pin', 1)
      await event('Pin', 1)
      expect(requests()).to.have.length(1)
      expect(requests()[0]).to.match(/^key /)
      expect(await events('Pin', 1)).to.have.length(1)
      expect(await events('Pin', 0)).to.have.length(1)
      await change(2)
    })

    it('are read after a restart, too, when the phone answers late, which is asked once', async () => {
      await act('switchOff')
      await act('renewSettingsKey')
      await act('pin', 1)
      await act('mute', 1)
      await shop.restart()
      await session.status({ State: 'open' })
      await act('pin', 2)
      await act('switchOn')
      await event('Pin', 1)
      await event('Pin', 2)
      await event('Mute', 1)
      expect(requests()).to.have.length(1)
    })

    it('are changed with the newest key, even if the phone shares an older one later', async () => {
      const { wa } = await probe.socket(session)
      const { myAppStateKeyId: older = '' } = wa.authState.creds
      await act('renewSettingsKey')
      await act('pin', 1)
      await event('Pin', 1)
      const newer = wa.authState.creds.myAppStateKeyId
      expect(newer).not.to.equal(older)
      await wa.authState.keys.set({ 'app-state-sync-key': { [older]: null } })
      const all = await session.get('/user/appstate')
      expect(all.code).to.equal(409)
      await asked(2)
      await eventually(
        async () => (await session.get('/user/appstate')).code === 200,
        'the settings are read',
      )
      expect(wa.authState.creds.myAppStateKeyId).to.equal(newer)
    })
  })

  describe('for a wrong MAC', () => {
    it('are read from a snapshot, without the phone (whatsapp/37)', async () => {
      spoil({ Count: 1 })
      await act('pin', 1)
      await event('Pin', 1)
      expect(requests()).to.deep.equal([])
      expect(await events('Pin', 0)).to.have.length(1)
      await change(2)
    })

    it('are restored by the phone, which is asked once, where the snapshot is wrong too (whatsapp/37)', async () => {
      spoil()
      await act('pin', 1)
      await event('Pin', 1)
      expect(requests()).to.deep.equal([`collection ${COLLECTION}`])
      expect(await events('Pin', 0)).to.have.length(1)
      await change(2)
      await act('pin', 3)
      await act('mute', 3)
      await event('Mute', 3)
      const { modify } = await probe.socket(session)
      const refused = await modify({ pin: true }, chat(4)).catch((error: unknown) => error)
      expect(refused).to.include({ code: 'SETTINGS_NOT_READY' })
      expect(requests()).to.have.length(1)
    })

    it('are restored after a restart, too, when the phone answers late', async () => {
      await act('switchOff')
      spoil()
      await act('pin', 1)
      const { creds } = (await probe.socket(session)).wa.authState
      await eventually(
        () => (creds as StoredCreds).settingsRequests?.collections[COLLECTION]?.id,
        'a request',
      )
      await shop.restart()
      await session.status({ State: 'open' })
      await act('switchOn')
      await event('Pin', 1)
      expect(requests()).to.deep.equal([`collection ${COLLECTION}`])
    })
  })

  describe('that were removed', () => {
    const contacts = async (removed: boolean) =>
      (await events('Contact', 0)).filter(
        ({ body }) => (body['event'] as { Removed: boolean }).Removed === removed,
      )
    const gone = () => eventually(async () => (await contacts(true)).length > 0, 'the contact is removed')
    beforeEach(async () => {
      await act('contact', 0, { Text: 'Ana' })
      await event('Contact', 0)
    })

    it('are reported from a snapshot that lacks them (whatsapp/37)', async () => {
      spoil({ Type: 'critical_unblock_low', Count: 1 })
      await act('contact', 0, { Data: { On: false } })
      await gone()
      expect(requests()).to.deep.equal([])
      expect(await contacts(false)).to.have.length(1)
      await act('contact', 1, { Text: 'Bob' })
      await event('Contact', 1)
      expect(await contacts(true)).to.have.length(1)
    })

    it('are reported from what the phone restores, also after a restart (whatsapp/37)', async () => {
      // A snapshot without settings could not be wrong.
      await act('contact', 1, { Text: 'Bob' })
      await event('Contact', 1)
      await act('switchOff')
      spoil({ Type: 'critical_unblock_low' })
      await act('contact', 0, { Data: { On: false } })
      const { creds } = (await probe.socket(session)).wa.authState
      await eventually(
        () => (creds as StoredCreds).settingsRequests?.collections['critical_unblock_low']?.id,
        'a request',
      )
      await shop.restart()
      await session.status({ State: 'open' })
      expect(await contacts(true)).to.deep.equal([])
      await act('switchOn')
      await gone()
      expect(requests()).to.deep.equal(['collection critical_unblock_low'])
      expect(await contacts(true)).to.have.length(1)
    })
  })

  describe('and that the phone does not restore', () => {
    const rename = async (name: string) => (await probe.socket(session)).modify({ pushNameSetting: name }, '')
    const foundWrong = (collection: string) =>
      eventually(async () => {
        const { creds } = (await probe.socket(session)).wa.authState
        return (creds as StoredCreds).settingsRequests?.collections[collection]?.isWrong
      }, 'found wrong')

    it('are those of the name, which are read again once they are readable (whatsapp/37)', async () => {
      spoil({ Type: 'critical_block' })
      await act('setName', 0, { Text: 'Shop 2' })
      await foundWrong('critical_block')
      const refused = await rename('Shop 3').catch((error: unknown) => error)
      expect(refused).to.include({ code: 'SETTINGS_NOT_READY' })
      await change(1)
      expect(requests()).to.deep.equal([])
      shop.loose.network.fault({ Fault: 'clear' })
      await rename('Shop 4')
      await phoneHas(phone, ['setting_pushName'], ({ pushNameSetting }) =>
        JSON.stringify(pushNameSetting).includes('Shop 4'),
      )
    })

    const forbidden: [string, Record<string, string>][] = [
      ['the network forbids it', { [ENABLED]: '0' }],
      ['they are too many', { [MAX_SETTINGS]: '0' }],
    ]
    for (const [reason, Props] of forbidden) {
      it(`are all, where ${reason} (whatsapp/37)`, async () => {
        shop.loose.network.fault({ Fault: 'props', Phone: phone.account.phone, Props })
        const logins = shop.logins().length
        shop.cut()
        await eventually(() => shop.logins().length > logins, 'another login')
        await session.status({ State: 'open' })
        const [code = ''] = Object.keys(Props)
        await eventually(
          async () => (await probe.socket(session)).abProp(Number(code), '') === Props[code],
          'the AB prop',
        )
        spoil()
        await act('pin', 1)
        await foundWrong(COLLECTION)
        expect((await session.get('/user/appstate')).code).to.equal(409)
        await act('mute', 1)
        await event('Mute', 1)
        expect(requests()).to.deep.equal([])
      })
    }
  })
})
