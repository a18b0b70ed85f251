import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../support/eventually.ts'
import { phoneHas, settingOf } from '../../support/phone-settings.ts'
import { createProbe } from '../../support/probe.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'

const HOUR_MS = 3_600_000

describe('chats', () => {
  const probe = createProbe()
  let world: World
  let session: LinkedSession
  let shop: Phone
  let ana: Phone
  before(async () => {
    world = await startWorld({ extra: [probe.plugin], config: { baileys: { ackTimeoutMs: 1500 } } })
    shop = await world.phone('Shop')
    session = await world.linked(shop)
    ana = await world.phone('Ana')
    await probe.synced(session)
  })
  after(() => world.stop())
  afterEach(() => world.fault({ Phone: shop.account.phone, Fault: 'clear' }))

  const does = async (path: string, body: object, details: string): Promise<void> => {
    const answer = await session.post(path, body)
    expect(answer, answer.error).to.include({ status: 200, success: true })
    expect(answer.data).to.deep.equal({ Details: details })
  }
  /** The network refuses every change, and the phone's settings stay as they are. */
  const refused = async (path: string, body: object): Promise<void> => {
    const before = shop.view()['Settings']
    world.fault({ Phone: shop.account.phone, Fault: 'refuseSettings', Code: 403 })
    const answer = await session.post(path, body)
    expect(answer).to.include({ status: 403, error: 'WhatsApp refused: forbidden (403)' })
    expect(shop.view()['Settings']).to.deep.equal(before)
  }
  const chat = (phone: Phone): string => phone.account.jid
  /** A chat of its own, so that no test sees what another did. */
  const somebody = async (): Promise<Phone> => world.phone()
  /** A message that came in from `phone` and is stored. */
  const received = async (phone: Phone, text = 'hello'): Promise<string> => {
    const id = await phone.send(shop.account.phone, { Text: text })
    await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === id)
    return id
  }
  const group = async (owner: Phone, ...others: Phone[]): Promise<string> => {
    const Participants = others.map(({ account }) => account.phone)
    const made = await owner.act({ Action: 'createGroup', Text: 'Team', Participants })
    return String(made['JID'])
  }

  describe('pin', () => {
    shows('POST /chat/pin', 'pins, and unpins by word', async () => {
      const bob = await somebody()
      await does('/chat/pin', { Chat: bob.account.phone }, 'Chat pinned')
      await phoneHas(shop, ['pin_v1', chat(bob)], ({ pinAction }) => same(pinAction, { pinned: true }))
      await does('/chat/pin', { Chat: bob.account.phone, Pin: 'unpin' }, 'Chat unpinned')
      await phoneHas(shop, ['pin_v1', chat(bob)], ({ pinAction }) => same(pinAction, { pinned: false }))
    })
    shows('POST /chat/unpin', 'unpins what the phone pinned', async () => {
      const bob = await somebody()
      await shop.act({ Action: 'pin', Chat: bob.account.phone })
      await does('/chat/unpin', { Phone: bob.account.phone }, 'Chat unpinned')
      await phoneHas(shop, ['pin_v1', chat(bob)], ({ pinAction }) => same(pinAction, { pinned: false }))
    })
    refuses('POST /chat/pin', 'if the network refuses', () =>
      refused('/chat/pin', { Chat: ana.account.phone }),
    )
    refuses('POST /chat/unpin', 'if the network refuses', () =>
      refused('/chat/unpin', { Chat: ana.account.phone }),
    )
    it('refuses other words', async () => {
      expect(await session.post('/chat/pin', { Chat: ana.account.phone, Pin: 'perhaps' })).to.include({
        status: 400,
        error: 'Invalid Pin: must be true, false, "pin" or "unpin"',
      })
    })
  })

  describe('archive', () => {
    shows('POST /chat/archive', 'archives up to the last message, and unpins', async () => {
      const bob = await somebody()
      await shop.act({ Action: 'pin', Chat: bob.account.phone })
      const id = await received(bob)
      await does('/chat/archive', { Chat: bob.account.phone }, 'Chat archived')
      const { archiveChatAction } = await phoneHas(shop, ['archive', chat(bob)])
      expect(archiveChatAction).to.have.property('archived', true)
      expect(archiveChatAction).to.have.nested.property('messageRange.messages[0].key.id', id)
      await phoneHas(shop, ['pin_v1', chat(bob)], ({ pinAction }) => same(pinAction, { pinned: false }))
    })
    it('applies up to now if no message is known', async () => {
      const began = Date.now()
      const bob = await somebody()
      await does('/chat/archive', { Chat: bob.account.phone }, 'Chat archived')
      const { archiveChatAction } = await phoneHas(shop, ['archive', chat(bob)])
      const { lastMessageTimestamp } = (
        archiveChatAction as { messageRange: { lastMessageTimestamp: string } }
      ).messageRange
      expect(Number(lastMessageTimestamp) * 1000).to.be.within(began - 1000, Date.now() + 1000)
    })
    it('unarchives a chat', async () => {
      await does('/chat/archive', { Chat: ana.account.phone, Archive: 'unarchive' }, 'Chat unarchived')
      const { archiveChatAction } = await phoneHas(shop, ['archive', chat(ana)])
      expect(archiveChatAction).to.have.property('archived', false)
    })
    refuses('POST /chat/archive', 'if the network refuses', () =>
      refused('/chat/archive', { Chat: ana.account.phone }),
    )
  })

  describe('mute', () => {
    const endOf = async (body: object): Promise<number> => {
      const bob = await somebody()
      await does('/chat/mute', { Chat: bob.account.phone, ...body }, 'Chat muted')
      const { muteAction } = await phoneHas(shop, ['mute', chat(bob)])
      expect(muteAction).to.have.property('muted', true)
      return Number((muteAction as { muteEndTimestamp: string }).muteEndTimestamp)
    }
    shows('POST /chat/mute', 'mutes until a moment, in milliseconds since 1970', async () => {
      for (const [body, ms] of [
        [{ Duration: 60 }, 60_000],
        [{}, 8 * HOUR_MS],
        [{ Duration: '1w' }, 7 * 24 * HOUR_MS],
      ] as const) {
        const began = Date.now()
        expect((await endOf(body)) - ms).to.be.within(began, Date.now())
      }
      expect(await endOf({ Duration: 'always' })).to.equal(-1)
      expect(await endOf({ Duration: -1 })).to.equal(-1)
    })
    it('unmutes a chat', async () => {
      await does('/chat/mute', { Chat: ana.account.phone, Mute: false }, 'Chat unmuted')
      await phoneHas(shop, ['mute', chat(ana)], ({ muteAction }) => same(muteAction, { muted: false }))
    })
    refuses('POST /chat/mute', 'if the network refuses', () =>
      refused('/chat/mute', { Chat: ana.account.phone }),
    )
    it('refuses an invalid duration', async () => {
      expect(await session.post('/chat/mute', { Chat: ana.account.phone, Duration: 'a while' })).to.include({
        status: 400,
        error: 'Invalid Duration: must be seconds, "8h", "1w" or "always"',
      })
    })
  })

  describe('delete', () => {
    shows('POST /chat/delete', 'deletes a chat', async () => {
      const bob = await somebody()
      const id = await received(bob)
      await does('/chat/delete', { Phone: bob.account.phone }, 'Chat deleted')
      const { deleteChatAction } = await phoneHas(shop, ['deleteChat', chat(bob), '1'])
      expect(deleteChatAction).to.have.nested.property('messageRange.messages[0].key.id', id)
    })
    it('leaves a group first, and can be repeated', async () => {
      const jid = await group(ana, shop)
      await does('/chat/delete', { Phone: jid }, 'Chat deleted')
      expect(shop.view()['Groups']).to.not.include(jid)
      await phoneHas(shop, ['deleteChat', jid, '1'])
      await does('/chat/delete', { Phone: jid }, 'Chat deleted')
    })
    it('leaves a community with all of its groups', async () => {
      const jid = String((await ana.act({ Action: 'createCommunity', Text: 'Village' }))['JID'])
      const Participants = [shop.account.phone]
      const made = await ana.act({ Action: 'createGroup', Text: 'Street', Participants })
      await ana.act({ Action: 'addToGroup', Chat: jid, Participants })
      await ana.act({ Action: 'linkGroup', Chat: jid, Text: String(made['JID']) })
      expect(shop.view()['Groups']).to.include(jid).and.to.include(made['JID'])
      await does('/chat/delete', { Phone: jid }, 'Chat deleted')
      expect(shop.view()['Groups']).to.not.include(jid).and.to.not.include(made['JID'])
    })
    refuses('POST /chat/delete', 'an unknown group', async () => {
      const jid = '120363000000000001@g.us'
      const answer = await session.post('/chat/delete', { Phone: jid })
      expect(answer.status).to.be.within(400, 502)
      expect(answer.success).to.equal(false)
      expect(settingOf(shop, 'deleteChat', jid)).to.equal(undefined)
    })
  })

  describe('read', () => {
    shows('POST /chat/read', 'marks as read, and sends a read receipt', async () => {
      const bob = await somebody()
      const id = await received(bob)
      await does('/chat/read', { Phone: bob.account.phone }, 'Chat marked as read')
      const { markChatAsReadAction } = await phoneHas(shop, ['markChatAsRead', chat(bob)])
      expect(markChatAsReadAction).to.have.property('read', true)
      expect(markChatAsReadAction).to.have.nested.property('messageRange.messages[0].key.id', id)
      const isRead = () => bob.receipts.some((receipt) => receipt.id === id && receipt.type === 'read')
      await eventually(isRead, 'read', { progress: () => bob.receipts })
    })
    it('makes its last message read here too', async () => {
      const bob = await somebody()
      const id = await received(bob)
      await does('/chat/read', { Phone: bob.account.phone }, 'Chat marked as read')
      const { data } = await session.post('/message/status', { Id: id })
      expect(data).to.include({ Status: 'Read', IsFromMe: false })
    })
    it('sends no receipt to others, except in groups, once the phone has switched read receipts off', async () => {
      const bob = await somebody()
      await received(bob, 'seen')
      await does('/chat/read', { Phone: bob.account.phone }, 'Chat marked as read')
      const receipts = (readreceipts: 'all' | 'none') =>
        shop.act({ Action: 'setPrivacy', Data: { readreceipts } })
      await receipts('none')
      try {
        const id = await received(bob, 'unseen')
        await does('/chat/read', { Phone: bob.account.phone }, 'Chat marked as read')
        const { data } = await session.post('/send/text', { Phone: bob.account.phone, Body: 'after it' })
        await bob.wait((message) => message.id === data.Id)
        const types = bob.receipts.filter((receipt) => receipt.id === id).map(({ type }) => type)
        expect(types).to.not.include('read').and.to.not.include('read-self')
        const team = await group(bob, shop)
        const shared = await bob.send(team, { Text: 'seen by all' })
        await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === shared)
        await does('/chat/read', { Phone: team }, 'Chat marked as read')
        await bob.wait(() => bob.receipts.some((receipt) => receipt.id === shared && receipt.type === 'read'))
      } finally {
        await receipts('all')
      }
    })
    shows('POST /chat/unread', 'marks a group as unread', async () => {
      const jid = await group(ana, shop)
      const id = await ana.send(jid, { Text: 'all' })
      await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === id)
      await does('/chat/unread', { Phone: jid }, 'Chat marked as unread')
      const { markChatAsReadAction } = await phoneHas(shop, ['markChatAsRead', jid])
      expect(markChatAsReadAction).to.have.property('read', false)
      expect(markChatAsReadAction).to.have.nested.property(
        'messageRange.messages[0].key.participant',
        ana.account.lid,
      )
    })
    refuses('POST /chat/read', 'if the network refuses, without sending a receipt', async () => {
      const bob = await somebody()
      const id = await received(bob)
      await refused('/chat/read', { Phone: bob.account.phone })
      expect(bob.receipts.filter((receipt) => receipt.id === id && receipt.type === 'read')).to.deep.equal([])
    })
    refuses('POST /chat/unread', 'if the network refuses', () =>
      refused('/chat/unread', { Phone: ana.account.phone }),
    )
  })

  describe('typing indicators', () => {
    const seen = (from: string, tag: string, media?: string): Promise<unknown> =>
      eventually(
        () =>
          ana.presences.find(
            ({ tag: kind, attrs, content }) =>
              kind === 'chatstate' &&
              attrs['from'] === from &&
              Array.isArray(content) &&
              content[0]?.tag === tag &&
              content[0]?.attrs['media'] === media,
          ),
        `seen ${tag}`,
        { progress: () => ana.presences },
      )
    shows('POST /chat/typing/start', 'is seen by the other side', async () => {
      await does('/chat/typing/start', { Jid: ana.account.phone }, 'Typing started')
      await seen(shop.account.jid, 'composing')
    })
    shows('POST /chat/typing/stop', 'is seen by the other side', async () => {
      await does('/chat/typing/stop', { Jid: ana.account.phone }, 'Typing stopped')
      await seen(shop.account.jid, 'paused')
    })
    shows('POST /chat/recording/start', 'is seen by a group', async () => {
      const jid = await group(shop, ana)
      await does('/chat/recording/start', { Jid: jid }, 'Recording started')
      await seen(jid, 'composing', 'audio')
    })
    shows('POST /chat/recording/stop', 'is seen by the other side, by LID', async () => {
      await does('/chat/recording/stop', { Jid: ana.account.lid }, 'Recording stopped')
      await seen(shop.account.lid, 'paused')
    })
    for (const path of ['typing/start', 'typing/stop', 'recording/start', 'recording/stop'] as const) {
      refuses(`POST /chat/${path}`, 'chats without typing state', async () => {
        const before = ana.presences.length
        expect(await session.post(`/chat/${path}`, { Jid: '12345@newsletter' })).to.include({
          status: 400,
          error: 'Invalid Jid: must be a person or a group',
        })
        expect(await session.post(`/chat/${path}`, {})).to.include({ error: 'Missing Jid in Payload' })
        expect(ana.presences).to.have.length(before)
      })
    }
  })

  describe('disappearing messages', () => {
    shows('POST /chat/disappearing-timer', 'reaches the other side of a chat, and a group', async () => {
      const bob = await somebody()
      await does(
        '/chat/disappearing-timer',
        { phone: bob.account.phone, timer: '24h' },
        'Disappearing timer set',
      )
      const { message } = await bob.wait(({ fromMe }) => !fromMe)
      expect(message).to.have.property('protocolMessage').that.includes({
        type: 'EPHEMERAL_SETTING',
        ephemeralExpiration: 86_400,
      })
      const jid = await group(shop, ana)
      await does('/chat/disappearing-timer', { phone: jid, timer: '90d' }, 'Disappearing timer set')
      expect(ephemeral(jid)).to.equal(7_776_000)
      await does('/chat/disappearing-timer', { phone: jid, timer: 'off' }, 'Disappearing timer set')
      expect(ephemeral(jid)).to.equal(0)
    })
    refuses('POST /chat/disappearing-timer', 'if the network refuses, and other timers', async () => {
      const jid = await group(ana)
      expect(await session.post('/chat/disappearing-timer', { phone: jid, timer: '7d' })).to.include({
        status: 403,
        error: 'WhatsApp refused: forbidden (403)',
      })
      expect(ephemeral(jid)).to.equal(0)
      expect(await session.post('/chat/disappearing-timer', { phone: jid, timer: '2h' })).to.include({
        status: 400,
        error: 'invalid timer. Use: 24h, 7d, 90d, or off',
      })
    })
    const ephemeral = (jid: string): unknown => {
      const { network } = world.gateway.service('sandbox')
      const groups = network.view()['Groups'] as { JID: string; Ephemeral: number }[]
      return groups.find(({ JID }) => JID === jid)?.Ephemeral
    }
  })

  it('raise events for changes made on the phone', async () => {
    const bob = await somebody()
    const Chat = bob.account.jid
    const about = (action: object) => (event: Record<string, unknown>) =>
      event['JID'] === chat(bob) && same({ ...(event['Action'] as object), ...action }, event['Action'])
    await shop.act({ Action: 'pin', Chat })
    await shop.act({ Action: 'archive', Chat })
    await shop.act({ Action: 'mute', Chat })
    await shop.act({ Action: 'markChatRead', Chat, Data: { On: false } })
    await shop.act({ Action: 'deleteChat', Chat })
    const { body, time, lane } = await probe.event('Pin', about({ pinned: true }))
    expect(body['event']).to.include({ JID: chat(bob), Timestamp: time, FromFullSync: false })
    expect(lane).to.match(/^[\w-]{22}$/)
    await probe.event('Archive', about({ archived: true }))
    await probe.event('Mute', about({ muted: true, muteEndTimestamp: -1 }))
    await probe.event('MarkChatAsRead', about({ read: false }))
    const deleted = await probe.event('DeleteChat', about({}))
    expect(deleted.body['event']).to.have.property('DeleteMedia', true)
  })

  it('report the phone number of a LID in events', async () => {
    const bob = await somebody()
    await received(bob)
    await session.post('/chat/pin', { Chat: bob.account.lid })
    const { body } = await probe.event('Pin', ({ JID }) => JID === bob.account.lid)
    expect(body).to.have.nested.property('event.JIDAlt', bob.account.jid)
  })

  it('raise events for changes of the session itself, with the last message of their range', async () => {
    const bob = await somebody()
    const id = await received(bob)
    await session.post('/chat/archive', { Chat: bob.account.phone })
    const { body } = await probe.event('Archive', ({ JID }) => JID === chat(bob))
    expect(body).to.have.nested.property('event.Action.messageRange.messages[0].key.ID', id)
    expect(body).to.have.nested.property('event.Action.messageRange.messages[0].key.remoteJID', chat(bob))
  })
})

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
