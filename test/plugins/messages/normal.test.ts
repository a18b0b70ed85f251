import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { picture } from '../../support/picture.ts'
import type { LinkedSession, World } from '../../support/world.ts'
import type { Body, Hook } from './hook.ts'
import { openShop, type Shop } from './shop.ts'

describe('messages in plain fields', () => {
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

  const received = async (id: string): Promise<Body> => (await hook.message(id)).message
  const fromAna = async (Message: Record<string, unknown>): Promise<Body> =>
    received(await ana.send(shop, { Message }))
  const person = ({ account: { phone, lid } }: Phone) => ({ phone, lid })

  it('name both sides, with number and LID', async () => {
    const id = await ana.send(shop, { Text: 'Are you open?' })
    const message = await received(id)
    expect(message).to.deep.include({
      id,
      type: 'text',
      text: 'Are you open?',
      isFromMe: false,
      isForwarded: false,
      isEdited: false,
      mentions: [],
    })
    expect(message.from).to.include({ ...person(ana), name: 'Ana', username: '' })
    expect(message.chat).to.include({ ...person(ana), type: 'person', isGroup: false })
    expect(message.to).to.include(person(session.phone))
    expect(message.time).to.equal((await hook.message(id)).event.Info.Timestamp)
  })

  it('name both sides of own messages, by the interface and from the phone', async () => {
    const byPhone = await session.phone.send(ana.account.phone, { Text: 'from my pocket' })
    const { data } = await session.post('/send/text', { Phone: ana.account.phone, Body: 'by the interface' })
    for (const id of [byPhone, data.Id]) {
      const message = await received(id)
      expect(message).to.include({ isFromMe: true, type: 'text' })
      expect(message.from).to.include(person(session.phone))
      expect(message.to).to.include(person(ana))
      expect(message.chat).to.include(person(ana))
    }
  })

  it('describe a file, with the name of a document', async () => {
    world.fault({ Fault: 'legacyViewOnce' })
    const image = await fromAna({ image: await picture(), caption: 'our door', viewOnce: true })
    world.fault({ Fault: 'clear' })
    expect(image).to.include({ type: 'image', text: 'our door', isViewOnce: true })
    expect(image.media).to.include({ mimeType: 'image/jpeg' })
    expect(image.media.size).to.be.greaterThan(0)
    expect(image.media.fileName).to.equal(`${image.id}.jpg`)
    const bytes = await picture()
    const document = await fromAna({ document: bytes, mimetype: 'application/pdf', fileName: 'bill.pdf' })
    expect(document).to.include({ type: 'document', text: '' })
    expect(document.media).to.include({ mimeType: 'application/pdf', fileName: 'bill.pdf' })
  })

  it('tell what is reacted to, edited and revoked', async () => {
    const id = await ana.send(shop, { Text: 'first' })
    const act = async (Action: string, Text?: string): Promise<Body> => {
      const { Id } = await ana.act({ Action, Id: id, ...(Text ? { Text } : {}) })
      return received(String(Id))
    }
    expect(await act('react', '😀')).to.deep.include({
      type: 'reaction',
      targetId: id,
      reaction: { emoji: '😀' },
    })
    expect(await act('edit', 'second')).to.include({
      type: 'edit',
      targetId: id,
      text: 'second',
      isEdited: true,
    })
    expect(await act('revoke')).to.include({ type: 'revoke', targetId: id, text: '' })
  })

  it('tell polls and votes', async () => {
    const poll = { Phone: ana.account.phone, Question: 'When?', MaxAnswer: 2, Options: ['now', 'later'] }
    const { data } = await session.post('/send/poll', poll)
    expect((await received(data.Id)).poll).to.deep.equal({
      question: 'When?',
      options: ['now', 'later'],
      maxSelections: 2,
    })
    await ana.wait(({ id }) => id === data.Id)
    const { Id } = await ana.act({ Action: 'vote', Id: data.Id, Data: { Options: ['later'] } })
    expect(await received(String(Id))).to.deep.include({
      type: 'vote',
      targetId: data.Id,
      vote: { question: 'When?', options: ['later'] },
    })
  })

  it('know the numbers of people who are quoted or mentioned by LID in a group', async () => {
    const { JID } = await ana.act({ Action: 'createGroup', Text: 'Team', Participants: [shop] })
    const known = await ana.send(String(JID), { Text: 'who comes?' })
    await received(known)
    const own = session.phone.account
    const message = {
      extendedTextMessage: {
        text: '@a @b come',
        contextInfo: {
          stanzaId: known,
          participant: ana.account.lid,
          quotedMessage: { conversation: 'who comes?' },
          mentionedJid: [own.lid, ana.account.lid],
          isForwarded: true,
        },
      },
    }
    const bea = await world.phone('Bea')
    await ana.act({ Action: 'addToGroup', Chat: String(JID), Participants: [bea.account.phone] })
    const reply = await received(await bea.send(String(JID), { Message: message }))
    expect(reply).to.include({ type: 'text', text: '@a @b come', isForwarded: true })
    expect(reply.chat).to.deep.equal({ jid: JID, phone: '', lid: '', type: 'group', isGroup: true })
    expect(reply).not.to.have.property('to')
    expect(reply.from).to.include(person(bea))
    expect(reply.quoted).to.deep.include({ id: known, type: 'text', text: 'who comes?' })
    expect(reply.quoted.from).to.include(person(ana))
    expect(reply.mentions.map(({ phone }: Body) => phone)).to.deep.equal([own.phone, ana.account.phone])
  })

  const contents: [type: string, content: Record<string, unknown>, expected: Record<string, unknown>][] = [
    [
      'location',
      { locationMessage: { degreesLatitude: 1.5, degreesLongitude: -2, name: 'Shop', address: 'Road 1' } },
      { text: '', location: { latitude: 1.5, longitude: -2, name: 'Shop', address: 'Road 1' } },
    ],
    [
      'liveLocation',
      { liveLocationMessage: { degreesLatitude: 1, degreesLongitude: 2, caption: 'on my way' } },
      {
        text: 'on my way',
        location: { latitude: 1, longitude: 2, name: '', address: '', live: {} },
      },
    ],
    [
      'contact',
      {
        contactMessage: {
          displayName: 'Bea',
          vcard: 'BEGIN:VCARD\nTEL;type=CELL;waid=5511:+55 11\nEND:VCARD',
        },
      },
      { contacts: [{ name: 'Bea', phones: ['5511'] }] },
    ],
    ['contact', { contactsArrayMessage: { displayName: '2', contacts: [{ displayName: 'A' }] } }, {}],
    ['poll', { pollCreationMessage: { name: 'Who?', options: [{ optionName: 'I' }] } }, { text: 'Who?' }],
    ['voice', { audioMessage: { ptt: true, seconds: 3, mimetype: 'audio/ogg' } }, {}],
    ['audio', { audioMessage: { seconds: 3, mimetype: 'audio/mpeg' } }, {}],
    ['videoNote', { ptvMessage: { seconds: 3, mimetype: 'video/mp4' } }, {}],
    ['video', { videoMessage: { caption: 'look', width: 2, height: 1 } }, { text: 'look' }],
    ['sticker', { stickerMessage: { mimetype: 'image/webp' } }, {}],
    [
      'selection',
      { buttonsResponseMessage: { selectedButtonId: 'b1', selectedDisplayText: 'Yes' } },
      { text: 'Yes', selection: { id: 'b1', text: 'Yes' } },
    ],
    [
      'selection',
      { listResponseMessage: { title: 'Row', singleSelectReply: { selectedRowId: 'r1' } } },
      { selection: { id: 'r1', text: 'Row' } },
    ],
    [
      'selection',
      { templateButtonReplyMessage: { selectedId: 't1', selectedDisplayText: 'Go' } },
      { selection: { id: 't1', text: 'Go' } },
    ],
    ['interactive', { interactiveMessage: { body: { text: 'choose' } } }, { text: 'choose' }],
    ['interactive', { buttonsMessage: { contentText: 'press' } }, { text: 'press' }],
    ['interactive', { listMessage: { title: 'T', description: 'list' } }, { text: 'list' }],
    [
      'interactive',
      { templateMessage: { hydratedTemplate: { hydratedContentText: 'old' } } },
      { text: 'old' },
    ],
    ['event', { eventMessage: { name: 'Party' } }, { text: 'Party' }],
    ['invite', { groupInviteMessage: { caption: 'join', groupJid: '1@g.us' } }, { text: 'join' }],
    ['product', { productMessage: { product: { title: 'Cake' } } }, { text: 'Cake' }],
    ['order', { orderMessage: { message: 'two' } }, { text: 'two' }],
    ['album', { albumMessage: { expectedImageCount: 2 } }, { text: '' }],
    ['pin', { pinInChatMessage: { key: { id: 'PINNED' }, type: 1 } }, { targetId: 'PINNED' }],
    ['system', { protocolMessage: { type: 3, ephemeralExpiration: 60 } }, {}],
    [
      'text',
      { ephemeralMessage: { message: { conversation: 'soon gone' } } },
      { text: 'soon gone', isEphemeral: true },
    ],
    ['text', { botInvokeMessage: { message: { extendedTextMessage: { text: 'hey' } } } }, { text: 'hey' }],
    ['other', { callLogMesssage: { isVideo: true } }, { text: '' }],
  ]
  for (const [type, content, expected] of contents) {
    const [name = ''] = Object.keys(content)
    it(`read ${name} as ${type}`, async () => {
      expect(await fromAna(content)).to.deep.include({ type, ...expected })
    })
  }

  it('have what the phone tells of a live location', async () => {
    const Data = { Latitude: 1.5, Longitude: -2, Accuracy: 12, Speed: 1.5, Heading: 270, Age: 3 }
    const Sequence = 1_790_000_000_000_001
    const action = { Action: 'shareLiveLocation', Chat: shop, Text: 'on my way' }
    const { Id } = await ana.act({ ...action, Data: { ...Data, Sequence } })
    const message = await received(String(Id))
    expect(message).to.include({ type: 'liveLocation', text: 'on my way' })
    expect(message.location).to.deep.equal({
      latitude: 1.5,
      longitude: -2,
      name: '',
      address: '',
      live: { accuracy: 12, speed: 1.5, heading: 270, sequence: Sequence, age: 3 },
    })
    const own = session.phone.display
      .page(ana.account.lid, Number.MAX_SAFE_INTEGER, 200)
      .find(({ ID }) => ID === Id)
    expect(own?.Text).to.equal('on my way\n1.5, -2')
  })

  it('are there for what could not be decrypted, too', async () => {
    world.fault({ Phone: shop, Fault: 'garble' })
    const id = await ana.send(shop, { Text: 'broken on the way' })
    const { message } = await hook.wait('UndecryptableMessage', ({ Info }) => Info.ID === id)
    expect(message).to.include({ id, type: 'undecryptable', text: '' })
    expect(message.from).to.include(person(ana))
    await received(id)
  })

  it('tell receipts by number', async () => {
    const { data } = await session.post('/send/text', { Phone: ana.account.phone, Body: 'read me' })
    await ana.wait(({ id }) => id === data.Id)
    await ana.act({ Action: 'read', Chat: shop, Id: data.Id })
    const isRead = ({ Type, MessageIDs }: Body) => Type === 'read' && MessageIDs.includes(data.Id)
    const { receipt } = await hook.wait('ReadReceipt', isRead)
    expect(receipt).to.deep.include({ ids: [data.Id], status: 'read', isFromMe: false })
    expect(receipt.from).to.include(person(ana))
    expect(receipt.chat).to.include({ ...person(ana), type: 'person' })
  })
})
