import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { createProbe } from '../../support/probe.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

for (const engine of engines) {
  describe(`the list of labels on ${engine.name}`, () => {
    const probe = createProbe()
    let world: World
    let shop: Phone
    let session: LinkedSession
    let ana: Phone
    let bob: Phone
    before(async () => {
      world = await startWorld({ extra: [probe.plugin] }, engine)
      shop = await world.phone('Shop', { business: true })
      ana = await world.phone('Ana')
      bob = await world.phone('Bob')
      await label('1', 'New')
      await put('labelChat', '1', ana)
      await label('2', 'Old')
      await put('labelChat', '2', bob)
      // Apps keep it in the settings, and show it no longer.
      await label('2', 'Old', false)
      session = await world.linked(shop)
      await probe.synced(session)
      // The LID of somebody is known from a message.
      for (const one of [ana, bob]) {
        const id = await one.send(shop.account.phone, { Text: 'hi' })
        await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === id)
      }
    })
    after(() => world.stop())

    const label = (Label: string, Text: string, On = true) =>
      shop.act({ Action: 'label', Text, Data: { Label, On } })
    const put = (Action: string, Label: string, { account }: Phone, On = true, Id = '') =>
      shop.act({ Action, Chat: account.jid, ...(Id ? { Id } : {}), Data: { Label, On } })
    const list = async () => (await session.get('/label/list')).data.Labels
    const find = async (query = '') => {
      const answer = await session.get(`/label/find?${query}`)
      expect(answer, answer.error).to.include({ status: 200 })
      return answer.data.Items
    }
    const on = (LabelID: string, { account }: Phone, MessageID = '') => ({
      LabelID,
      JID: account.jid,
      JIDAlt: account.lid,
      MessageID,
    })
    /** After the phone's last change has arrived. */
    const settled = async (): Promise<void> => {
      const Text = `Last ${probe.events('LabelEdit').length}`
      await label('9', Text)
      await probe.event('LabelEdit', ({ Action }) => (Action as { name: string }).name === Text)
      await label('9', Text, false)
      await probe.event(
        'LabelEdit',
        ({ Action, LabelID }) => LabelID === '9' && (Action as { deleted: boolean }).deleted,
      )
    }

    shows('GET /label/list', 'lists those of before the link, and is current after changes', async () => {
      expect(await list()).to.deep.equal([{ ID: '1', Name: 'New', Color: 1, Chats: 1, Messages: 0 }])
      expect(probe.events('LabelEdit')).to.deep.equal([])
      await label('10', 'Later')
      await label('3', 'Paid')
      await put('labelChat', '3', ana)
      await put('labelChat', '3', bob)
      await put('labelMessage', '3', bob, true, 'ABC')
      await settled()
      const added = [
        { ID: '1', Name: 'New', Color: 1, Chats: 1, Messages: 0 },
        { ID: '3', Name: 'Paid', Color: 1, Chats: 2, Messages: 1 },
        { ID: '10', Name: 'Later', Color: 1, Chats: 0, Messages: 0 },
      ]
      expect(await list()).to.deep.equal(added)
      await session.post('/label/edit', { labelid: '10', name: 'Soon', color: 5 })
      await session.post('/unlabel/chat', { jid: bob.account.phone, labelid: '3' })
      expect(await list()).to.deep.include({ ...added[1], Chats: 1 })
      expect(await list()).to.deep.include({ ...added[2], Name: 'Soon', Color: 5 })
    })

    refuses('GET /label/list', 'other tokens, and keys that see some chats only', async () => {
      expect(await world.gateway.get('/label/list', { token: 'x' })).to.include({ status: 401 })
      const body = { Name: 'ana', Scopes: ['read'], Chats: [ana.account.phone] }
      const token = (await session.post('/keys', body)).data.Key
      expect(await world.gateway.get('/label/list', { token })).to.include({ status: 403 })
    })

    shows('GET /label/find', 'lists what a label is on, by pages, and the labels of a chat', async () => {
      await label('4', 'Due')
      await put('labelChat', '4', ana)
      await put('labelChat', '4', bob)
      await put('labelMessage', '4', bob, true, 'XYZ')
      await settled()
      const all = [on('4', ana), on('4', bob), on('4', bob, 'XYZ')]
      expect(await find('labelid=4')).to.have.deep.members(all)
      expect(await find('labelid=2')).to.deep.equal([])
      for (const form of [bob.account.phone, bob.account.jid, bob.account.lid])
        expect(await find(`labelid=4&jid=${form}`), form).to.have.deep.members(all.slice(1))
      const paged = []
      for (let after = ''; ; ) {
        const { data } = await session.get(`/label/find?labelid=4&limit=1${after && `&after=${after}`}`)
        paged.push(...data.Items)
        after = data.After
        if (!after) break
      }
      expect(paged).to.have.deep.members(all).and.have.length(3)
      // By its other form: the label is taken off, not left behind.
      await shop.act({ Action: 'labelChat', Chat: bob.account.lid, Data: { Label: '4', On: false } })
      await settled()
      expect(await find('labelid=4')).to.have.deep.members([on('4', ana), on('4', bob, 'XYZ')])
      await label('4', 'Due', false)
      await settled()
      expect(await find('labelid=4')).to.deep.equal([])
    })

    refuses('GET /label/find', 'what is no chat, and the chats that a key does not see', async () => {
      expect(await session.get('/label/find?jid=nobody')).to.include({ status: 400 })
      expect(await session.get('/label/find?limit=x')).to.include({ status: 400 })
      const body = { Name: 'bob', Scopes: ['read'], Chats: [bob.account.phone] }
      const token = (await session.post('/keys', body)).data.Key
      const seen = (query: string) => world.gateway.get(`/label/find?${query}`, { token })
      expect(await seen(`jid=${bob.account.phone}`)).to.include({ status: 200 })
      for (const query of ['labelid=1', `jid=${ana.account.phone}`, `jid=${ana.account.lid}`])
        expect(await seen(query), query).to.include({ status: 403 })
    })

    it('is the same after everything is read again', async () => {
      const before = [await list(), await find()]
      await session.get('/user/appstate')
      expect([await list(), await find()]).to.deep.equal(before)
    })

    it('is gone with the session', async () => {
      const other = await world.linked(await world.phone('Other'))
      expect((await other.get('/label/list')).data.Labels).to.deep.equal([])
      await world.gateway.post('/session/delete', {}, { ...admin, token: other.token })
      expect(await list()).not.to.deep.equal([])
    })
  })
}
