import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { phoneHas, settingOf } from '../../support/phone-settings.ts'
import { createProbe } from '../../support/probe.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'
import { businessPhone } from './shop.ts'

for (const engine of engines) {
  describe(`quick replies on ${engine.name}`, () => {
    const probe = createProbe()
    let world: World
    let phone: Phone
    let shop: LinkedSession
    before(async () => {
      world = await startWorld({ extra: [probe.plugin] }, engine)
      phone = await businessPhone(world, 'Bakery')
      await write('1', 'hours', 'We open at seven', { Keywords: ['when'], Count: 4 })
      await write('2', 'old', 'Gone')
      await write('2', 'old', 'Gone', { On: false })
      shop = await world.linked(phone)
      await probe.synced(shop)
    })
    after(() => world.stop())
    afterEach(() => world.fault({ Phone: phone.account.phone, Fault: 'clear' }))

    const write = (Id: string, Shortcut: string, Text: string, Data = {}) =>
      phone.act({ Action: 'quickReply', Id, Text, Data: { Shortcut, ...Data } })
    const changed = (ID: string, deleted = false) =>
      probe.event(
        'QuickReply',
        (event) => event['ID'] === ID && (event['Action'] as { deleted: boolean }).deleted === deleted,
      )
    const list = async () => (await shop.get('/business/quickreplies')).data.QuickReplies
    const save = (body: object) => shop.post('/business/quickreplies', body)
    const hours = { ID: '1', Shortcut: 'hours', Message: 'We open at seven', Keywords: ['when'], Count: 4 }
    const refuse = (): void =>
      world.fault({ Phone: phone.account.phone, Fault: 'refuseSettings', Code: 403, Count: 1 })

    shows(
      'GET /business/quickreplies',
      'lists those of before the link, and what the phone changes',
      async () => {
        // What is synchronized is committed shortly afterwards.
        await eventually(async () => (await list()).length > 0, 'listed')
        expect(await list()).to.deep.equal([hours])
        expect(probe.events('QuickReply')).to.deep.equal([])
        await write('3', 'bye', 'See you')
        expect((await changed('3')).body['event']).to.deep.include({
          ID: '3',
          Action: { shortcut: 'bye', message: 'See you', keywords: [], count: 0, deleted: false },
        })
        expect(await list()).to.deep.equal([
          { ID: '3', Shortcut: 'bye', Message: 'See you', Keywords: [], Count: 0 },
          hours,
        ])
        await write('3', 'bye', '', { On: false })
        await changed('3', true)
        expect(await list()).to.deep.equal([hours])
      },
    )

    refuses('GET /business/quickreplies', 'other tokens', async () => {
      expect(await world.gateway.get('/business/quickreplies', { token: 'x' })).to.include({ status: 401 })
    })

    shows('POST /business/quickreplies', 'creates one and changes it, on the phone too', async () => {
      const made = await save({ Shortcut: 'thanks', Message: 'Thank you @ all', Keywords: ['order'] })
      expect(made, made.error).to.include({ status: 200 })
      const { ID } = made.data
      const { quickReplyAction } = await phoneHas(phone, ['quick_reply', ID])
      const thanks = { shortcut: 'thanks', message: 'Thank you @ all', keywords: ['order'], count: 0 }
      expect(quickReplyAction).to.deep.equal({ ...thanks, deleted: false })
      await changed(ID)
      expect((await save({ ID: '1', Message: 'We open at eight' })).data.ID).to.equal('1')
      const later = await phoneHas(
        phone,
        ['quick_reply', '1'],
        (action) => (action['quickReplyAction'] as { message: string }).message === 'We open at eight',
      )
      expect(later['quickReplyAction']).to.include({ shortcut: 'hours', count: 4 })
      expect(await list()).to.deep.include({ ...hours, Message: 'We open at eight' })
    })

    refuses(
      'POST /business/quickreplies',
      'unknown ones, ones without text, and by the network',
      async () => {
        const before = [phone.view()['Settings'], await list()]
        expect(await save({ ID: '9', Message: 'x' })).to.include({
          status: 404,
          error: 'Quick reply not found',
        })
        expect(await save({ Shortcut: 'x' })).to.include({ status: 400, error: 'Missing Message in Payload' })
        expect(await save({ Message: 'x' })).to.include({ status: 400, error: 'Missing Shortcut in Payload' })
        expect(await save({ Shortcut: 'x'.repeat(65), Message: 'x' })).to.include({ status: 400 })
        refuse()
        expect(await save({ Shortcut: 'x', Message: 'x' })).to.include({ status: 403 })
        expect([phone.view()['Settings'], await list()]).to.deep.equal(before)
      },
    )

    shows('POST /business/quickreplies/delete', 'deletes it on the phone too', async () => {
      const { ID } = (await save({ Shortcut: 'gone', Message: 'Gone' })).data
      const answer = await shop.post('/business/quickreplies/delete', { ID })
      expect(answer, answer.error).to.deep.include({ data: { Details: 'Quick reply deleted' } })
      await phoneHas(
        phone,
        ['quick_reply', ID],
        (action) => (action['quickReplyAction'] as { deleted: boolean }).deleted,
      )
      await changed(ID, true)
      expect((await list()).map((one: { ID: string }) => one.ID)).not.to.include(ID)
    })

    refuses('POST /business/quickreplies/delete', 'unknown ones, and by the network', async () => {
      const { ID } = (await save({ Shortcut: 'stays', Message: 'Stays' })).data
      await phoneHas(phone, ['quick_reply', ID])
      const before = [phone.view()['Settings'], await list()]
      const remove = (one: string) => shop.post('/business/quickreplies/delete', { ID: one })
      expect(await remove('9')).to.include({ status: 404, error: 'Quick reply not found' })
      refuse()
      expect(await remove(ID)).to.include({ status: 403 })
      expect([phone.view()['Settings'], await list()]).to.deep.equal(before)
    })

    it('are not written without a text, which apps do not show', async () => {
      const socket = await probe.socket(shop)
      await socket.modify({ quickReply: { timestamp: '77', shortcut: 'x', message: '' } }, '')
      await phone.act({ Action: 'label', Text: 'Later', Data: { Label: '30' } })
      expect(settingOf(phone, 'quick_reply', '77')).to.equal(undefined)
      expect(String(phone.view()['SettingsFaults'])).to.include('quick_reply 77 is not shown')
    })

    it('of the former account are gone after another one is linked', async () => {
      await shop.post('/session/logout')
      const other = await businessPhone(world, 'Bakery two')
      await shop.post('/session/connect', { Immediate: false })
      await other.scan((await shop.get('/session/qr')).data.QRCode)
      await shop.status({ LoggedIn: true, Jid: other.account.jid })
      expect(await list()).to.deep.equal([])
    })
  })
}
