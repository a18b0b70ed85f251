import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { phoneHas, settingOf } from '../../support/phone-settings.ts'
import { createProbe } from '../../support/probe.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

for (const engine of engines) {
  describe(`contacts on ${engine.name}`, () => {
    const probe = createProbe()
    let world: World
    let session: LinkedSession
    let shop: Phone
    before(async () => {
      world = await startWorld({ extra: [probe.plugin] }, engine)
      shop = await world.phone('Shop')
      session = await world.linked(shop)
      await probe.synced(session)
    })
    after(() => world.stop())
    afterEach(() => world.fault({ Phone: shop.account.phone, Fault: 'clear' }))

    const refuse = (): void => world.fault({ Phone: shop.account.phone, Fault: 'refuseSettings', Code: 403 })
    const known = async (one = session): Promise<Record<string, Record<string, unknown>>> =>
      (await one.get('/user/contacts')).data
    const contact = (phone: Phone, matches: (contact: Record<string, unknown>) => boolean, one = session) =>
      eventually(async () => {
        const found = (await known(one))[phone.account.jid]
        if (found && matches(found)) return found
        throw new Error(`it is ${JSON.stringify(found)}`)
      }, `such a contact ${phone.account.jid}`)
    const audience = async (ID = 'status@broadcast', one = session): Promise<string[]> => {
      const { data } = await one.post('/broadcast/listparticipants', { ID })
      expect(data.ID).to.equal(ID)
      return data.Participants
    }

    shows('POST /contact/add', 'saves a contact on the phone', async () => {
      const ana = await world.phone('Ana')
      const answer = await session.post('/contact/add', {
        Phone: ana.account.phone,
        FullName: 'Ana Maria Souza',
        SaveOnBook: true,
      })
      expect(answer.data).to.deep.equal({ Details: 'Contact saved', JID: ana.account.jid })
      const { contactAction } = await phoneHas(shop, ['contact', ana.account.jid])
      expect(contactAction).to.include({
        fullName: 'Ana Maria Souza',
        firstName: 'Ana',
        saveOnPrimaryAddressbook: true,
      })
      const { body } = await probe.event('Contact', ({ JID }) => JID === ana.account.jid)
      expect(body).to.have.nested.property('event.Action.fullName', 'Ana Maria Souza')
    })
    refuses('POST /contact/add', 'if the network refuses, or without a name', async () => {
      const bob = await world.phone('Bob')
      refuse()
      const saved = { Phone: bob.account.phone, FirstName: 'Bob' }
      expect(await session.post('/contact/add', saved)).to.include({ status: 403 })
      expect(await session.post('/contact/add', { Phone: bob.account.phone })).to.include({
        status: 400,
        error: 'Missing FullName in Payload',
      })
      expect(settingOf(shop, 'contact', bob.account.jid)).to.equal(undefined)
      expect(await known()).to.not.have.property(bob.account.jid)
    })

    shows('POST /contact/remove', 'removes it, and it can be saved again', async () => {
      const ana = await world.phone('Ana')
      const saved = { Phone: ana.account.phone, FirstName: 'Ana' }
      await session.post('/contact/add', saved)
      await phoneHas(shop, ['contact', ana.account.jid])
      const answer = await session.post('/contact/remove', { Phone: ana.account.phone })
      expect(answer.data).to.deep.equal({ Details: 'Contact removed' })
      await eventually(() => !settingOf(shop, 'contact', ana.account.jid), 'removed from the phone')
      expect((await known())[ana.account.jid]).to.include({ FullName: '', FirstName: '' })
      await session.post('/contact/add', saved)
      await phoneHas(shop, ['contact', ana.account.jid])
    })
    refuses('POST /contact/remove', 'with the network', async () => {
      const ana = await world.phone('Ana')
      await session.post('/contact/add', { Phone: ana.account.phone, FirstName: 'Ana' })
      refuse()
      expect(await session.post('/contact/remove', { Phone: ana.account.phone })).to.include({ status: 403 })
      await phoneHas(shop, ['contact', ana.account.jid])
      expect((await known())[ana.account.jid]).to.include({ FullName: 'Ana' })
    })

    shows('GET /user/contacts', 'lists contacts saved on the phone, and senders of messages', async () => {
      const ana = await world.phone('Ana')
      await shop.act({ Action: 'contact', Chat: ana.account.jid, Text: 'Ana of the bakery' })
      await contact(ana, ({ FullName }) => FullName === 'Ana of the bakery')
      await ana.send(shop.account.phone, { Text: 'hello' })
      expect(await contact(ana, ({ PushName }) => PushName === 'Ana')).to.deep.equal({
        Found: true,
        FirstName: '',
        FullName: 'Ana of the bakery',
        PushName: 'Ana',
        BusinessName: '',
        LID: ana.account.lid,
      })
      const removed = { Action: 'contact', Chat: ana.account.jid, Data: { On: false } }
      await shop.act(removed)
      await contact(ana, ({ FullName }) => FullName === '')
      await probe.event('Contact', ({ JID, Removed }) => JID === ana.account.jid && Removed === true)
    })
    refuses('GET /user/contacts', 'a session that is not logged in', async () => {
      const { data } = await world.gateway.post('/session/init', {}, admin)
      expect(await world.gateway.get('/user/contacts', { token: data.Token })).to.include({
        status: 409,
        success: false,
      })
    })

    it('are looked up by number, JID or LID, with the number of a LID even without a name', async () => {
      const [ana, eva] = [await world.phone('Ana'), await world.phone('Eva')]
      await ana.send(shop.account.phone, { Text: 'hello' })
      await contact(ana, ({ PushName }) => PushName === 'Ana')
      await session.post('/send/text', { Phone: eva.account.phone, Body: 'hello' })
      const lookUp = async (...people: string[]) => {
        const { data } = await session.get(`/user/contacts?People=${encodeURIComponent(people.join(','))}`)
        return data as Record<string, { Found: boolean; PushName: string; LID: string }>
      }
      for (const one of [ana.account.phone, ana.account.jid, ana.account.lid]) {
        const found = await lookUp(one)
        expect(Object.keys(found), one).to.deep.equal([ana.account.jid])
        expect(found[ana.account.jid]).to.include({ Found: true, PushName: 'Ana', LID: ana.account.lid })
      }
      const both = await lookUp(eva.account.lid, '999000111222@lid', ana.account.lid)
      expect(both[eva.account.jid]).to.include({ Found: false, PushName: '', LID: eva.account.lid })
      expect(Object.keys(both).sort()).to.deep.equal([ana.account.jid, eva.account.jid].sort())
    })
    it('are not looked up by what is no person, or too many at once', async () => {
      for (const People of ['ana', '123@g.us', Array(51).fill('5511999999999').join(',')])
        expect(await session.get(`/user/contacts?People=${encodeURIComponent(People)}`), People).to.include({
          status: 400,
          errorCode: 'FIELD_INVALID',
        })
    })

    it('are read from the history of the phone', async () => {
      const eva = await world.phone('Eva')
      const ana = await world.phone('Ana')
      await ana.send(eva.account.jid, { Text: 'before' })
      await eva.wait(({ fromMe }) => !fromMe)
      const list = await eva.act({
        Action: 'broadcastList',
        Participants: [ana.account.jid, shop.account.jid],
      })
      await eva.act({ Action: 'contact', Chat: ana.account.jid, Text: 'Ana of old' })
      const late = await world.linked(eva)
      await probe.synced(late)
      await contact(ana, ({ PushName, FullName }) => PushName === 'Ana' && FullName === 'Ana of old', late)
      // What was there before is no news.
      const about = ({ body }: { body: Record<string, unknown> }): unknown =>
        (body['event'] as { JID: string }).JID
      expect(probe.events('Contact').map(about)).to.not.include(ana.account.jid)
      expect(await audience(String(list['JID']), late)).to.have.members([ana.account.jid, shop.account.jid])
    })

    it('include the verified name of a business', async () => {
      const bank = await world.phone('Bank')
      const { wa } = await probe.socket(session)
      wa.ev.emit('contacts.update', [{ id: bank.account.jid, verifiedName: 'Bank of the North' }])
      await contact(bank, ({ BusinessName }) => BusinessName === 'Bank of the North')
    })

    it('raise PushName when a person changes their push name', async () => {
      const ana = await world.phone('Ana')
      await ana.send(shop.account.phone, { Text: 'one' })
      await ana.send(shop.account.phone, { Text: 'two' })
      await ana.act({ Action: 'setName', Text: 'Ana Maria' })
      await ana.send(shop.account.phone, { Text: 'three' })
      await probe.event(
        'PushName',
        (event) => event['OldPushName'] === 'Ana' && event['JID'] === ana.account.jid,
      )
      const told = probe.events('PushName').map(({ body }) => body['event'] as Record<string, unknown>)
      expect(
        told.filter(({ JID }) => JID === ana.account.jid).map(({ NewPushName }) => NewPushName),
      ).to.deep.equal(['Ana', 'Ana Maria'])
      await contact(ana, ({ PushName }) => PushName === 'Ana Maria')
    })

    shows(
      'POST /broadcast/listparticipants',
      'lists the recipients of status posts by the privacy setting',
      async () => {
        const [ana, bob] = [await world.phone('Ana'), await world.phone('Bob')]
        for (const phone of [ana, bob])
          await session.post('/contact/add', { Phone: phone.account.phone, FirstName: phone.account.name })
        expect(await audience()).to.include.members([ana.account.jid, bob.account.jid])
        const allow = { Action: 'statusPrivacy', Participants: [ana.account.jid] }
        await shop.act({ ...allow, Text: 'whitelist' })
        expect(await audience()).to.deep.equal([ana.account.jid])
        await shop.act({ ...allow, Text: 'blacklist' })
        expect(await audience())
          .to.include(bob.account.jid)
          .and.not.include(ana.account.jid)
        expect(await audience('12345@broadcast')).to.deep.equal([])
      },
    )
    refuses('POST /broadcast/listparticipants', 'JIDs that are not a broadcast list', async () => {
      const before = world.counters()['stanzasIn']
      expect(await session.post('/broadcast/listparticipants', { ID: shop.account.jid })).to.include({
        status: 400,
        error: 'Invalid ID: is not a broadcast list',
      })
      expect(world.counters()['stanzasIn']).to.equal(before)
    })

    it('are provided to other plugins: all, and saved ones', async () => {
      const [ana, bob] = [await world.phone('Ana'), await world.phone('Bob')]
      await session.post('/contact/add', { Phone: ana.account.phone, FirstName: 'Ana' })
      await bob.send(shop.account.phone, { Text: 'hello' })
      await contact(bob, ({ PushName }) => PushName === 'Bob')
      const contacts = world.gateway.service('contacts')
      const { id } = (await probe.session(session.token)) ?? { id: '' }
      const jids = (some: { jid: string }[]): string[] => some.map(({ jid }) => jid)
      expect(jids(await contacts.all(id))).to.include.members([ana.account.jid, bob.account.jid])
      expect(jids(await contacts.named(id)))
        .to.include(ana.account.jid)
        .and.not.include(bob.account.jid)
    })
  })
}
