import { expect } from 'chai'
import { loadConfig } from '../../../../config/load.ts'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { type Events, eventsOf } from '../../../support/events/events.ts'
import { eventually } from '../../../support/eventually.ts'
import { type TestGateway, testGateway } from '../../../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../../../support/network.ts'
import { createProbe } from '../../../support/probe.ts'
import { type LinkedSession, linkPhone } from '../../../support/sessions.ts'

describe('a change of privacy settings on the phone', () => {
  const probe = createProbe()
  let loose: LooseNetwork
  let gateway: TestGateway
  let owner: Phone
  let session: LinkedSession
  let told: Events
  let queries = 0
  before(async () => {
    loose = await startNetwork({
      observe(event) {
        if (event.kind !== 'stanza' || event.stanza.tag !== 'iq') return
        const { xmlns, type } = event.stanza.attrs
        if (xmlns === 'privacy' && type === 'get') queries += 1
      },
    })
    const { plugins } = await loadConfig({ WAMUX_BAILEYS_NETWORK: loose.card })
    gateway = testGateway({ plugins: [...plugins, { plugin: probe.plugin }] })
    await gateway.start()
    owner = await loose.phones.create({ name: 'Shop' })
    session = await linkPhone(gateway, owner)
    await probe.synced(session)
    told = await eventsOf(session)
  })
  after(async () => {
    await told.close()
    await gateway.stop()
    await loose.network.close()
  })

  const set = (settings: Record<string, string>) => owner.act({ Action: 'setPrivacy', Data: settings })
  const events = () => told.all.filter(({ type }) => type === 'PrivacySettings')

  it('is reported with all settings, after one query for a burst of announcements (whatsapp/35)', async () => {
    const before = queries
    for (const last of ['none', 'contacts', 'all', 'none']) await set({ last })
    await set({ groupadd: 'contacts', online: 'match_last_seen' })
    const { event } = await told.wait('PrivacySettings')
    expect(event).to.deep.equal((await session.get('/user/privacy')).data)
    expect(event).to.deep.equal({
      GroupAdd: 'contacts',
      LastSeen: 'none',
      Status: 'contacts',
      Profile: 'all',
      ReadReceipts: 'all',
      CallAdd: 'all',
      Online: 'match_last_seen',
      Messages: '',
      Defense: '',
      Stickers: '',
    })
    await set({ profile: 'none' })
    await told.wait('PrivacySettings', ({ Profile }) => Profile === 'none')
    // One for each event, and the one of this test.
    expect(events()).to.have.length(2)
    expect(queries - before).to.equal(3)
  })

  it('is reported by the next link if this one ends before the answer (whatsapp/35)', async () => {
    const { wa } = await probe.socket(session)
    await set({ status: 'none' })
    await eventually(
      () => (wa.authState.creds as { privacyAnnouncement?: string }).privacyAnnouncement,
      'announced',
    )
    await session.post('/session/disconnect')
    await set({ calladd: 'known' })
    expect(events()).to.have.length(2)
    await session.post('/session/connect', { Immediate: false })
    const { event } = await told.wait('PrivacySettings', ({ Status }) => Status === 'none')
    expect(event).to.include({ Status: 'none', CallAdd: 'known', Profile: 'none' })
    expect(events()).to.have.length(3)
  })

  it('is read again later where the network refuses to tell the settings', async () => {
    const { wa } = await probe.socket(session)
    const { creds } = wa.authState as { creds: { privacyAnnouncement?: string } }
    await eventually(() => creds.privacyAnnouncement === undefined, 'nothing to read')
    await set({ profile: 'contacts' })
    // The answer to the phone has been sent, and the gateway waits for the end of the burst.
    loose.network.fault({ Fault: 'refuseQuery', Phone: owner.account.phone, Xmlns: 'privacy', Code: 429 })
    const { event } = await told.wait('PrivacySettings', ({ Profile }) => Profile === 'contacts')
    expect(event).to.include({ Profile: 'contacts', Status: 'none' })
    expect(events()).to.have.length(4)
  })
})
