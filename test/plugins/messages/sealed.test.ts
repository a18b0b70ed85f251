import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type LinkedSession, linkPhone } from '../../support/sessions.ts'
import { openVersionShop, type VersionShop } from '../baileys/web-version/shop.ts'
import { type Body, type Hook, hookOf } from './hook.ts'

for (const engine of engines) {
  describe(`messages sealed under the secret of another one, on ${engine.name}`, () => {
    let shop: VersionShop
    let session: LinkedSession
    let hook: Hook
    let bob: Phone
    let number: string
    before(async () => {
      shop = await openVersionShop({ engine })
      session = await shop.link('Shop')
      number = session.phone.account.phone
      hook = await hookOf(session)
      bob = await shop.loose.phones.create({ name: 'Bob' })
    })
    after(async () => {
      await hook.close()
      await shop.stop()
    })
    afterEach(() => fault('clear'))

    const fault = (Fault: string, fields: Record<string, unknown> = {}): void =>
      shop.loose.network.fault({ Fault, ...fields })
    /** The delivered Message, which must be the edit of that message. */
    async function expectEdit(
      phone: Phone,
      id: string,
      text: string,
      on = hook,
      Data: Record<string, unknown> = {},
    ): Promise<Body> {
      const { Id } = await phone.act({ Action: 'edit', Id: id, Text: text, Data })
      const { message, event } = await on.message(String(Id))
      expect(message).to.include({ type: 'edit', targetId: id, text, isEdited: true })
      expect(event).to.include({ IsEdit: true })
      expect(event.Info).to.include({ Edit: '1' })
      expect(event.Message.protocolMessage).to.deep.nested.include({
        'key.ID': id,
        'editedMessage.conversation': text,
      })
      return event
    }
    async function said(phone: Phone, text: string): Promise<string> {
      const id = await phone.send(number, { Text: text })
      await hook.message(id)
      return id
    }

    it('are edits of the message, and edits of edits, beside what they were sealed in (whatsapp/03)', async () => {
      const id = await said(bob, 'old')
      const event = await expectEdit(bob, id, 'new')
      expect(event.Message.secretEncryptedMessage).to.deep.nested.include({
        'targetMessageKey.ID': id,
        secretEncType: 'MESSAGE_EDIT',
      })
      await expectEdit(bob, id, 'newer')
      await expectEdit(bob, id, 'newest')
    })

    it('bring the secret of the next edit within what they seal, or beside it (whatsapp/03)', async () => {
      const id = await said(bob, 'zero')
      const places = ['beside', 'beside', 'within', 'beside', 'within', 'within']
      for (const [at, Secret] of places.entries()) {
        const text = `${at} ${Secret}`
        const event = await expectEdit(bob, id, text, hook, { Secret })
        // Opened here: what the phone sends again after a failure is not sealed.
        expect(event.Message).to.have.nested.property('secretEncryptedMessage.encPayload')
        const page = (): unknown =>
          session.phone.display
            .page(bob.account.lid, Number.POSITIVE_INFINITY, 50)
            .find(({ ID }) => ID === id)
        await eventually(() => (page() as { Text?: string })?.Text === text, text, { progress: page })
      }
    })

    it('are opened by number as well as by LID, and after plain edits (whatsapp/03)', async () => {
      const id = await said(bob, 'first')
      fault('editForm', { Form: 'pn' })
      await expectEdit(bob, id, 'by number')
      fault('legacyEdits')
      expect(await expectEdit(bob, id, 'plain')).not.to.have.nested.property('Message.secretEncryptedMessage')
      fault('clear')
      await expectEdit(bob, id, 'by LID')
    })

    it('are edits of the account itself, of what its phone or this gateway has sent (whatsapp/03)', async () => {
      const byPhone = await session.phone.send(bob.account.phone, { Text: 'from my pocket' })
      const { data } = await session.post('/send/text', {
        Phone: bob.account.phone,
        Body: 'by the interface',
      })
      for (const id of [byPhone, data.Id]) {
        await hook.message(id)
        await session.phone.wait((one) => one.id === id)
        const event = await expectEdit(session.phone, id, `${id} changed`)
        expect(event.Info).to.include({ IsFromMe: true })
        await expectEdit(session.phone, id, `${id} changed again`)
      }
    })

    it('are edits of what this gateway has sent in another form, and before a restart (whatsapp/03)', async () => {
      const Phone = bob.account.phone
      const { data: link } = await session.post('/send/text', { Phone, Body: 'see https://example.com' })
      await session.phone.wait((one) => one.id === link.Id)
      await shop.restart()
      await session.status({ LoggedIn: true })
      await expectEdit(session.phone, link.Id, 'see nothing')
      await shop.restart()
      await session.status({ LoggedIn: true })
      await expectEdit(session.phone, link.Id, 'see something')
    })

    it('are opened after a restart of the gateway (whatsapp/03)', async () => {
      const id = await said(bob, 'before')
      await expectEdit(bob, id, 'between')
      await shop.restart()
      await session.status({ LoggedIn: true })
      await expectEdit(bob, id, 'after')
    })

    it('are opened in groups, only if their author wrote the message (whatsapp/03)', async () => {
      const { JID } = await bob.act({ Action: 'createGroup', Text: 'Team', Participants: [number] })
      const chat = String(JID)
      const eve = await shop.loose.phones.create({ name: 'Eve' })
      await bob.act({ Action: 'addToGroup', Chat: chat, Participants: [eve.account.phone] })
      const id = await bob.send(chat, { Text: 'mine' })
      await hook.message(id)
      await expectEdit(bob, id, 'still mine')
      await eve.wait((one) => one.id === id)
      const { Id } = await eve.act({ Action: 'edit', Id: id, Text: 'forged' })
      const { event } = await hook.wait('UndecryptableMessage', ({ Info }) => Info.ID === Id)
      expect(event.Reason).to.match(/^SECRET_UNKNOWN/)
      await expectEdit(bob, id, 'mine again')
      expect(JSON.stringify(hook.all)).not.to.include('forged')
    })

    it('are reported as unreadable edits, never as messages, without the secret', async () => {
      const { JID } = await bob.act({ Action: 'createGroup', Text: 'Late' })
      const chat = String(JID)
      const id = await bob.send(chat, { Text: 'before you came' })
      await bob.act({ Action: 'addToGroup', Chat: chat, Participants: [number] })
      const { Id } = await bob.act({ Action: 'edit', Id: id, Text: 'changed' })
      const { event, message } = await hook.wait('UndecryptableMessage', ({ Info }) => Info.ID === Id)
      expect(event).to.include({ TargetID: id, IsUnavailable: false })
      expect(event.Reason).to.match(/^SECRET_UNKNOWN/)
      expect(event.Info).to.include({ Edit: '1', Chat: chat })
      expect(message).to.include({ type: 'undecryptable', targetId: id, isEdited: true, text: '' })
      // Later ones come behind it.
      const marker = await bob.send(chat, { Text: 'marker' })
      await hook.message(marker)
      expect(hook.all.filter(({ type, event: { Info } }) => type === 'Message' && Info.ID === Id)).to.be.empty
    })

    describe('whose message is in the history only', () => {
      async function linkedAfter(text: string): Promise<{ fia: Phone; id: string; late: Hook }> {
        const phone = await shop.loose.phones.create({ name: `Late ${text}` })
        const fia = await shop.loose.phones.create({ name: 'Fia' })
        const id = await fia.send(phone.account.phone, { Text: 'from before' })
        await phone.wait((one) => one.id === id)
        // As edited before, too: the history has the newest secret.
        await fia.act({ Action: 'edit', Id: id, Text: 'edited before' })
        await phone.wait(({ raw }) => raw.protocolMessage?.key?.id === id)
        const late = await linkPhone(shop.calls, phone)
        await eventually(async () => {
          const { data } = await late.get('/events?limit=1000')
          return data.Events.some((one: Body) => one.type === 'HistorySync' && one.event.Data.syncType === 3)
        }, 'the history')
        return { fia, id, late: await hookOf(late) }
      }

      it('are opened (whatsapp/03, whatsapp/21)', async () => {
        const { fia, id, late } = await linkedAfter('one')
        await expectEdit(fia, id, 'after linking', late)
        await expectEdit(fia, id, 'and again', late)
        await late.close()
      })

      it('come from the phone, once, where the history had no secrets', async () => {
        fault('secretless')
        const { fia, id, late } = await linkedAfter('two')
        const { Id } = await fia.act({ Action: 'edit', Id: id, Text: 'asked for' })
        await late.wait('UndecryptableMessage', ({ Info }) => Info.ID === Id)
        const { message } = await late.message(String(Id))
        expect(message).to.include({ type: 'edit', targetId: id, text: 'asked for' })
        await late.close()
      })
    })
  })
}
