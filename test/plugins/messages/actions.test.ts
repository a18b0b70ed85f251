import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import type { Stanza } from '../../../plugins/sandbox/types.ts'
import { eventually } from '../../support/eventually.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import type { LinkedSession, World } from '../../support/world.ts'
import type { Hook } from './hook.ts'
import { openShop, type Shop } from './shop.ts'

describe('message actions', () => {
  let world: World
  let session: LinkedSession
  let hook: Hook
  let ana: Phone
  let group: string
  let close: Shop['close']
  before(async () => {
    ;({ world, session, hook, ana, close } = await openShop({ config: { baileys: { ackTimeoutMs: 1500 } } }))
    const { JID } = await ana.act({
      Action: 'createGroup',
      Text: 'Team',
      Participants: [session.phone.account.phone],
    })
    group = String(JID)
  })
  after(() => close())

  const say = async (text: string, to = session.phone.account.phone): Promise<string> => {
    const id = await ana.send(to, { Text: text })
    await hook.message(id)
    return id
  }
  const send = async (text: string, to = ana.account.phone): Promise<string> => {
    const { data } = await session.post('/send/text', { Phone: to, Body: text })
    await ana.wait(({ id }) => id === data.Id)
    return data.Id
  }
  const to = (): { Phone: string } => ({ Phone: ana.account.phone })
  const isRefused = async (path: string, body: object): Promise<void> => {
    const before = ana.messages().length
    world.fault({ Phone: session.phone.account.phone, Fault: 'refuse', Code: 403, Count: 1 })
    const answer = await session.post(path, body)
    expect(answer).to.include({ status: 403, success: false })
    await send('after it')
    expect(ana.messages()).to.have.length(before + 1)
  }

  shows('POST /message/react', 'delivers a reaction to the author, and removes it', async () => {
    const id = await say('nice?')
    const answer = await session.post('/message/react', { ...to(), Id: id, Body: '👍', IsFromMe: false })
    expect(answer.data, answer.error).to.include({ Details: 'Sent', Id: id })
    const { message } = await ana.wait(({ raw }) => raw.reactionMessage?.text === '👍')
    expect(message).to.have.nested.property('reactionMessage.key.id', id)
    expect(message).to.have.nested.property('reactionMessage.key.fromMe', false)
    await session.post('/message/react', { ...to(), Id: id, Body: 'remove', IsFromMe: false })
    await ana.wait(({ raw }) => raw.reactionMessage?.text === '' && raw.reactionMessage.key?.id === id)
  })

  shows('POST /message/react', 'reacts to own messages, and to those of others in a group', async () => {
    const own = await send('mine')
    await session.post('/message/react', { ...to(), Id: `me:${own}`, Body: '🙈', IsFromMe: false })
    const { message } = await ana.wait(({ raw }) => raw.reactionMessage?.text === '🙈')
    expect(message).to.deep.nested.include({
      'reactionMessage.key.id': own,
      'reactionMessage.key.fromMe': true,
    })
    const id = await say('all?', group)
    const reaction = { Phone: group, Id: id, Body: '🎉', IsFromMe: false }
    expect(await session.post('/message/react', reaction)).to.include({ success: true })
    const inGroup = await ana.wait(({ raw }) => raw.reactionMessage?.text === '🎉')
    expect(inGroup.message).to.have.nested.property('reactionMessage.key.participant', ana.account.lid)
  })

  refuses('POST /message/react', 'a chat in which the account may not write', async () => {
    const id = await say('and now?')
    await isRefused('/message/react', { ...to(), Id: id, Body: '👍', IsFromMe: false })
  })

  refuses('POST /message/react', 'a group message of unknown author', async () => {
    const answer = await session.post('/message/react', {
      Phone: group,
      Id: 'NOWHERE',
      Body: '👍',
      IsFromMe: false,
    })
    expect(answer).to.include({ status: 400, error: 'Missing Participant in Payload' })
  })

  shows('POST /message/presence', 'shows typing, recording and paused to the other side', async () => {
    const states = [
      { State: 'composing' },
      { State: 'composing', Media: 'audio' },
      { State: 'recording' },
      { State: 'paused' },
    ]
    const seen = ana.presences.length
    for (const state of states) {
      const answer = await session.post('/message/presence', { ...to(), ...state })
      expect(answer.data, answer.error).to.deep.equal({ Details: 'Chat presence set successfully' })
    }
    // Stanzas keep their order: what came before this message is there when it is.
    await send('typed')
    const shown = ana.presences
      .slice(seen)
      .map(({ content }) => (content as Stanza[])[0])
      .map((state) => `${state?.tag} ${state?.attrs['media'] ?? ''}`.trim())
    expect(shown).to.deep.equal(['composing', 'composing audio', 'composing audio', 'paused'])
  })

  refuses('POST /message/presence', 'an unknown state, and chats without typing state', async () => {
    const seen = ana.presences.length
    const dancing = await session.post('/message/presence', { ...to(), State: 'dancing' })
    expect(dancing).to.include({
      status: 400,
      error: 'Invalid State: must be one of composing, paused, recording',
    })
    const nowhere = await session.post('/message/presence', {
      Phone: 'status@broadcast',
      State: 'composing',
    })
    expect(nowhere).to.include({ status: 400, success: false })
    await send('not typed')
    expect(ana.presences).to.have.length(seen)
  })

  const reading = (id: string) => (): boolean =>
    ana.receipts.some((receipt) => receipt.id === id && receipt.type === 'read')

  shows(
    'POST /message/markread',
    'sends receipts to the author, for one and many, in a chat and in a group',
    async () => {
      const ids = [await say('read me'), await say('me too')]
      const answer = await session.post('/message/markread', { Id: ids, Chat: ana.account.phone })
      expect(answer.data, answer.error).to.deep.equal({ Details: 'Message(s) marked as read' })
      const inGroup = await say('and me', group)
      await session.post('/message/markread', { Id: inGroup, Chat: group })
      for (const id of [...ids, inGroup]) await ana.wait(reading(id))
      const { data } = await session.post('/message/status', { Id: ids[0] })
      expect(data).to.include({ Status: 'Read', IsFromMe: false })
    },
  )

  it('marks the messages that it can, and reports the skipped ones with reasons', async () => {
    const chats = { direct: session.phone.account.phone, group }
    for (const [kind, chat] of Object.entries(chats)) {
      const isGroup = kind === 'group'
      const own = await send('mine', isGroup ? group : ana.account.phone)
      const theirs = [await say('one', chat), await say('two', chat)]
      const Id = [own, theirs[0], 'NOWHERE', theirs[1]]
      const { data, error } = await session.post('/message/markread', {
        Id,
        Chat: isGroup ? group : ana.account.phone,
      })
      expect(data, error).to.deep.equal({
        Details: 'Message(s) marked as read',
        Skipped: [
          { Id: own, Reason: 'a message of your own' },
          { Id: 'NOWHERE', Reason: 'not stored here; name its Sender' },
        ],
      })
      for (const id of theirs) await ana.wait(reading(id))
      expect(ana.receipts.filter(({ id }) => id === own || id === 'NOWHERE')).to.deep.equal([])
      expect((await session.post('/message/status', { Id: 'NOWHERE' })).status).to.equal(404)
      expect((await session.post('/message/status', { Id: own })).data).to.include({ IsFromMe: true })
    }
  })

  it('marks more messages than a receipt may name', async () => {
    const Id = Array.from({ length: 300 }, (_, at) => `MANY${at}`)
    const Sender = ana.account.phone
    const before = world.counters()['receipts'] ?? 0
    const answer = await session.post('/message/markread', { Id, Chat: Sender, Sender })
    expect(answer.data, answer.error).to.deep.equal({ Details: 'Message(s) marked as read' })
    await Promise.all(Id.map((id) => ana.wait(reading(id))))
    expect(world.counters()).to.include({ receipts: before + 2, oversizedReceipts: 0 })
  })

  it('accepts the list of messages under an alias of Id', async () => {
    const id = await say('by another name')
    const answer = await session.post('/message/markread', { MessageId: [id], Chat: ana.account.phone })
    expect(answer.data, answer.error).to.deep.equal({ Details: 'Message(s) marked as read' })
    await ana.wait(reading(id))
  })

  it('marks a message that is not stored if its sender is named', async () => {
    const answer = await session.post('/message/markread', {
      Id: 'OLDER',
      Chat: ana.account.phone,
      Sender: ana.account.phone,
    })
    expect(answer.data, answer.error).to.deep.equal({ Details: 'Message(s) marked as read' })
    await ana.wait(reading('OLDER'))
  })

  refuses('POST /message/markread', 'messages of unknown author, and own ones', async () => {
    const own = await send('mine again')
    const foreign = await session.post('/message/markread', { Id: ['NOWHERE'], Chat: group })
    expect(foreign).to.include({ status: 400, error: 'Missing Sender in Payload' })
    const mine = await session.post('/message/markread', { Id: [own], Chat: ana.account.phone })
    expect(mine).to.include({ status: 400 })
    const direct = await session.post('/message/markread', { Id: ['NOWHERE'], Chat: ana.account.phone })
    expect(direct).to.include({ status: 404, error: 'Message not found' })
    await send('nothing was read')
    expect(ana.receipts.filter(({ id }) => id === own || id === 'NOWHERE')).to.deep.equal([])
  })

  it('refuses an id that the network can not read', async () => {
    const body = { Id: ['@'], Chat: ana.account.phone, Sender: ana.account.phone }
    const answer = await session.post('/message/markread', body)
    expect(answer).to.include({ status: 400, error: "Invalid Id.0: must not end with '@'" })
  })

  const statusOf = (id: string, wanted: string): Promise<unknown> =>
    eventually(async () => {
      const { data } = await session.post('/message/status', { Id: id })
      if (data?.Status === wanted) return data
      throw new Error(`it is ${data?.Status}`)
    }, wanted)

  shows('POST /message/status', 'reports the delivery state', async () => {
    const phone = session.phone.account.phone
    world.fault({ Phone: phone, Fault: 'holdReceipts' })
    const id = await send('watch me')
    expect(await statusOf(id, 'Sent')).to.deep.include({ Id: id, Status: 'Sent', IsFromMe: true })
    world.fault({ Phone: phone, Fault: 'releaseReceipts' })
    expect(await statusOf(id, 'Delivered')).to.include({ Status: 'Delivered' })
    await ana.act({ Action: 'read', Chat: phone, Id: id })
    expect(await statusOf(id, 'Read')).to.include({ Status: 'Read' })
    await ana.act({ Action: 'play', Chat: phone, Id: id })
    expect(await statusOf(id, 'Played')).to.include({ Status: 'Played' })
    expect(await hook.wait('ReadReceipt', ({ Type }) => Type === 'played')).to.include({ state: 'Played' })
  })

  refuses('POST /message/status', 'an unknown id, and reports failed sends', async () => {
    const unknown = await session.post('/message/status', { Id: 'NOWHERE' })
    expect(unknown).to.include({ status: 404, error: 'Message not found' })
    world.fault({ Phone: session.phone.account.phone, Fault: 'refuse', Code: 463, Count: 1 })
    await session.post('/send/text', { ...to(), Body: 'x', Id: 'refused-1' })
    expect(await statusOf('refused-1', 'Error')).to.include({ Status: 'Error', IsFromMe: true })
  })

  shows('POST /message/delete', 'deletes the message for the other side', async () => {
    const id = await send('regret')
    const answer = await session.post('/message/delete', { ...to(), Id: id })
    expect(answer.data, answer.error).to.include({ Details: 'Deleted', Id: id })
    const { raw, attrs } = await ana.wait(({ raw }) => raw.protocolMessage?.key?.id === id)
    expect(raw.protocolMessage).to.have.nested.property('key.fromMe', true)
    expect(attrs).to.include({ edit: '7' })
    const told = await hook.wait('Message', ({ Message }) => Message.protocolMessage?.key?.ID === id)
    expect(told.event.Info).to.include({ Edit: '7', IsFromMe: true })
  })

  shows('POST /message/delete', "deletes another member's message as group admin", async () => {
    const { JID } = await session.phone.act({
      Action: 'createGroup',
      Text: 'Mine',
      Participants: [ana.account.phone],
    })
    const id = await say('off topic', String(JID))
    const answer = await session.post('/message/delete', { Phone: JID, Id: id })
    expect(answer, answer.error).to.include({ success: true })
    const { raw, attrs } = await ana.wait(({ raw }) => raw.protocolMessage?.key?.id === id)
    expect(raw.protocolMessage?.key).to.include({ participant: ana.account.lid })
    expect(attrs).to.include({ edit: '8' })
  })

  refuses('POST /message/delete', "another member's message without being group admin", async () => {
    const id = await say('stays', group)
    const answer = await session.post('/message/delete', { Phone: group, Id: id })
    expect(answer).to.include({ status: 403, success: false })
    const direct = await session.post('/message/delete', { ...to(), Id: await say('stays too') })
    expect(direct).to.include({ status: 400, success: false })
    await send('nothing is gone')
    expect(ana.messages().some(({ raw }) => raw.protocolMessage?.key?.id === id)).to.equal(false)
  })

  it('deletes an own message by phone number and by LID of its chat', async () => {
    const ids = [await send('by number'), await send('by LID', ana.account.lid)]
    for (const [i, Phone] of [ana.account.lid, ana.account.phone].entries()) {
      const answer = await session.post('/message/delete', { Phone, Id: ids[i] })
      expect(answer.data, answer.error).to.include({ Details: 'Deleted', Id: ids[i] })
      await ana.wait(({ raw }) => raw.protocolMessage?.key?.id === ids[i])
    }
  })

  it('deletes a message that is not stored if its author is named', async () => {
    const Participant = session.phone.account.phone
    const answer = await session.post('/message/delete', { ...to(), Id: 'OLDER', Participant })
    expect(answer.data, answer.error).to.include({ Details: 'Deleted', Id: 'OLDER' })
    await ana.wait(({ raw }) => raw.protocolMessage?.key?.id === 'OLDER')
  })

  refuses('POST /message/delete', 'a message that is not stored, and sends nothing', async () => {
    const before = ana.messages().length
    for (const Phone of [ana.account.phone, group]) {
      const answer = await session.post('/message/delete', { Phone, Id: 'NOWHERE' })
      expect(answer).to.include({ status: 404, error: 'Message not found' })
      const edited = await session.post('/message/edit', { Phone, Id: 'NOWHERE', Body: 'new' })
      expect(edited).to.include({ status: 404, error: 'Message not found' })
    }
    await send('nothing was deleted')
    expect(ana.messages()).to.have.length(before + 1)
  })

  shows('POST /message/edit', 'changes the text for the other side', async () => {
    const id = await send('tpyo')
    const answer = await session.post('/message/edit', { ...to(), Id: id, Body: 'typo' })
    expect(answer.data, answer.error).to.include({ Details: 'Sent', Id: id })
    const { message, attrs } = await ana.wait(({ raw }) => raw.protocolMessage?.key?.id === id)
    expect(JSON.stringify(message)).to.include('"typo"')
    expect(attrs).to.include({ edit: '1' })
  })

  refuses(
    'POST /message/edit',
    'messages of others, and chats in which the account may not write',
    async () => {
      const foreign = await session.post('/message/edit', { ...to(), Id: await say('mine'), Body: 'yours' })
      expect(foreign).to.include({ status: 400, success: false })
      await isRefused('/message/edit', { ...to(), Id: await send('x'), Body: 'y' })
    },
  )
})
