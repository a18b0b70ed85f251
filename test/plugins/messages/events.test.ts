import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { picture } from '../../support/picture.ts'
import type { LinkedSession, World } from '../../support/world.ts'
import type { Body, Hook } from './hook.ts'
import { openShop, type Shop } from './shop.ts'

describe('messages as events', () => {
  let world: World
  let session: LinkedSession
  let hook: Hook
  let ana: Phone
  let shop: string
  let close: Shop['close']
  before(async () => {
    ;({ world, session, hook, ana, close } = await openShop())
    shop = session.phone.account.phone
  })
  after(() => close())

  const fromAna = async (Message: Record<string, unknown>): Promise<Body> =>
    hook.message(await ana.send(shop, { Message }))

  it('raise Message for reactions, edits and revocations', async () => {
    const id = await ana.send(shop, { Text: 'first' })
    await hook.message(id)
    const { Id: reaction } = await ana.act({ Action: 'react', Id: id, Text: '😀' })
    expect((await hook.message(String(reaction))).event).to.deep.include({ IsEdit: false })
    expect((await hook.message(String(reaction))).event.Message.reactionMessage).to.deep.include({
      text: '😀',
    })
    expect((await hook.message(String(reaction))).event.Info).to.include({ Type: 'reaction' })
    const { Id: edit } = await ana.act({ Action: 'edit', Id: id, Text: 'second' })
    const edited = (await hook.message(String(edit))).event
    expect(edited).to.include({ IsEdit: true })
    expect(edited.Message.protocolMessage).to.deep.nested.include({
      'key.ID': id,
      'editedMessage.conversation': 'second',
    })
    const { Id: revoke } = await ana.act({ Action: 'revoke', Id: id })
    const revoked = (await hook.message(String(revoke))).event
    expect(revoked.Info).to.include({ Edit: '7' })
    expect(revoked.Message.protocolMessage.key).to.include({ ID: id })
  })

  it('unwrap view-once and disappearing messages, with flags', async () => {
    world.fault({ Fault: 'legacyViewOnce' })
    const image = await fromAna({ image: await picture(), caption: 'now', viewOnce: true })
    expect(image.event).to.include({ IsViewOnce: true, IsViewOnceV2: false })
    const imageMessage = { caption: 'once', url: 'https://a.example/1' }
    const once = await fromAna({ viewOnceMessageV2: { message: { imageMessage } } })
    world.fault({ Fault: 'clear' })
    expect(once.event).to.include({ IsViewOnce: true, IsViewOnceV2: true, IsEphemeral: false })
    expect(once.event.Message.imageMessage).to.include({ caption: 'once' })
    const gone = await fromAna({ ephemeralMessage: { message: { conversation: 'soon gone' } } })
    expect(gone.event).to.include({ IsEphemeral: true, IsViewOnce: false })
    expect(gone.event.Message).to.include({ conversation: 'soon gone' })
  })

  it('raise Message for own sends from the phone and by the interface, with both JIDs of the other side', async () => {
    const byPhone = await session.phone.send(ana.account.phone, { Text: 'from my pocket' })
    const { data } = await session.post('/send/text', { Phone: ana.account.lid, Body: 'by the interface' })
    for (const id of [byPhone, data.Id]) {
      const { Info } = (await hook.message(id)).event
      expect(Info).to.include({ IsFromMe: true, Sender: session.phone.account.jid })
      expect([Info.Chat, Info.RecipientAlt]).to.have.members([ana.account.jid, ana.account.lid])
    }
    expect(hook.all.filter(({ event }) => event?.Info?.ID === data.Id)).to.have.length(1)
  })

  it('raise ReadReceipt for messages read on the phone', async () => {
    const id = await ana.send(shop, { Text: 'seen?' })
    await session.phone.wait((message) => message.id === id)
    await session.phone.act({ Action: 'read', Chat: ana.account.phone, Id: id })
    const { state, event } = await hook.wait('ReadReceipt', ({ MessageIDs }) => MessageIDs.includes(id))
    expect({ state, type: event.Type }).to.deep.equal({ state: 'ReadSelf', type: 'read-self' })
    expect((await session.post('/message/status', { Id: id })).data).to.include({ Status: 'Read' })
  })

  it('raise ReadReceipt for voice notes played on the phone, also with read receipts off', async () => {
    for (const readreceipts of ['all', 'none']) {
      await session.phone.act({ Action: 'setPrivacy', Data: { readreceipts } })
      const mimetype = 'audio/ogg; codecs=opus'
      const id = await ana.send(shop, { Message: { audioMessage: { ptt: true, seconds: 1, mimetype } } })
      await session.phone.wait((message) => message.id === id)
      await session.phone.act({ Action: 'play', Chat: ana.account.phone, Id: id })
      const told = await hook.wait('ReadReceipt', ({ MessageIDs }) => MessageIDs.includes(id))
      expect(told.state).to.equal('PlayedSelf')
      expect(told.event).to.include({ Type: 'played-self', IsFromMe: true })
      expect(told.receipt).to.include({ status: 'played', isFromMe: true })
      expect((await session.post('/message/status', { Id: id })).data).to.include({ Status: 'Played' })
      // Receipts keep their order with messages.
      const later = await session.phone.send(ana.account.phone, { Text: 'later' })
      await ana.wait((message) => message.id === later)
      const heard = ana.receipts.filter((one) => one.id === id).map(({ type }) => type)
      expect(heard.includes('played'), readreceipts).to.equal(readreceipts === 'all')
    }
    await session.phone.act({ Action: 'setPrivacy', Data: { readreceipts: 'all' } })
  })

  describe('votes', () => {
    const chosen = async (vote: unknown): Promise<unknown> =>
      (await hook.message(String(vote))).event.PollVote

    for (const Form of ['pn', 'lid']) {
      it(`include the chosen options of an own poll, encrypted by ${Form}`, async () => {
        const { data } = await session.post('/send/poll', {
          Phone: ana.account.phone,
          Question: 'When?',
          MaxAnswer: 2,
          Options: ['now', 'later', 'never'],
        })
        await ana.wait(({ id }) => id === data.Id)
        const vote = { Action: 'vote', Id: data.Id, Data: { Options: ['never', 'now'], Form } }
        const { Id } = await ana.act(vote)
        expect(await chosen(Id)).to.deep.equal({
          PollID: data.Id,
          Question: 'When?',
          SelectedOptions: ['now', 'never'],
        })
        const taken = await ana.act({ ...vote, Data: { Options: [], Form } })
        expect(await chosen(taken['Id'])).to.deep.include({ SelectedOptions: [] })
      })
    }

    it('include the chosen options of a group poll, for others and the own phone', async () => {
      const { JID } = await ana.act({ Action: 'createGroup', Text: 'Ask', Participants: [shop] })
      const bea = await world.phone('Bea')
      await ana.act({ Action: 'addToGroup', Chat: String(JID), Participants: [bea.account.phone] })
      const poll = {
        pollCreationMessageV3: { name: 'Who?', options: [{ optionName: 'I' }, { optionName: 'you' }] },
        messageContextInfo: { messageSecret: Buffer.alloc(32, 7).toString('base64') },
      }
      const id = await ana.send(String(JID), { Message: poll })
      await hook.message(id)
      for (const voter of [bea, session.phone]) {
        await voter.wait((message) => message.id === id)
        const { Id } = await voter.act({ Action: 'vote', Id: id, Data: { Options: ['you'] } })
        expect(await chosen(Id)).to.deep.include({ PollID: id, SelectedOptions: ['you'] })
      }
    })

    it('come without options for an unknown poll', async () => {
      const id = await ana.send(shop, {
        Message: {
          pollUpdateMessage: {
            pollCreationMessageKey: { remoteJid: ana.account.lid, id: 'NOWHERE' },
            vote: {
              encPayload: Buffer.alloc(48).toString('base64'),
              encIv: Buffer.alloc(12).toString('base64'),
            },
          },
        },
      })
      const { event } = await hook.message(id)
      expect(event).not.to.have.property('PollVote')
      expect(event.Info).to.include({ Type: 'poll' })
    })
  })

  describe('undecryptable messages', () => {
    it('raise UndecryptableMessage, are requested again, and then raise Message with the same id', async () => {
      world.fault({ Phone: shop, Fault: 'garble' })
      const id = await ana.send(shop, { Text: 'broken on the way' })
      const { event } = await hook.wait('UndecryptableMessage', ({ Info }) => Info.ID === id)
      expect(event).to.include({ IsUnavailable: false, UnavailableType: '' })
      expect(event.Reason).to.be.a('string').and.not.empty
      expect([event.Info.Sender, event.Info.SenderAlt]).to.have.members([ana.account.jid, ana.account.lid])
      const message = await hook.message(id)
      expect(message.event.Message).to.include({ conversation: 'broken on the way' })
      expect(message.event.Info.Chat).to.equal(event.Info.Chat)
      const told = hook.all.filter(({ event: one }) => one?.Info?.ID === id).map(({ type }) => type)
      expect(told).to.deep.equal(['UndecryptableMessage', 'Message'])
    })

    it('are reported in a group if only the sender key fails', async () => {
      const { JID } = await ana.act({ Action: 'createGroup', Text: 'Noise', Participants: [shop] })
      await hook.message(await ana.send(String(JID), { Text: 'clear' }))
      world.fault({ Phone: shop, Fault: 'garble' })
      const id = await ana.send(String(JID), { Text: 'through the noise' })
      await hook.wait('UndecryptableMessage', ({ Info }) => Info.ID === id && Info.Chat === JID)
      const message = await hook.message(id)
      expect(message.event.Message).to.include({ conversation: 'through the noise' })
    })

    it('are resent by the own phone if the network has no content (whatsapp/17)', async () => {
      world.fault({ Phone: shop, Fault: 'unavailable' })
      const id = await ana.send(shop, { Text: 'only for the phone' })
      const { event } = await hook.wait('UndecryptableMessage', ({ Info }) => Info.ID === id)
      expect(event).to.include({ IsUnavailable: true })
      const message = await hook.message(id)
      expect(message.event.Message).to.include({ conversation: 'only for the phone' })
      expect(message.event.Info).to.include({ IsFromMe: false, PushName: 'Ana' })
    })

    it('report their type if they are for the phone only', async () => {
      const id = await ana.send(shop, { Message: { image: await picture(), viewOnce: true } })
      const { event } = await hook.wait('UndecryptableMessage', ({ Info }) => Info.ID === id)
      expect(event).to.include({ IsUnavailable: true, UnavailableType: 'view_once' })
    })
  })
})
