import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { definePlugin } from 'wamux/plugin'
import chatLog from '../../../plugins/chat-log/index.ts'
import cloudApi from '../../../plugins/cloud-api/index.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'
import { type CloudReceiver, setWebhook, startCloudReceiver, textsOf } from '../cloud-api/receiver.ts'
import { type Body, type Hook, hookOf } from './hook.ts'

const [REVOKE, TIMER, EDIT] = [0, 3, 14]

/** A message as somebody might make it up, and the chat in which it is sent. */
interface Forged {
  readonly name: string
  readonly to: string
  readonly Message: object
  /** `edit` of the stanza. */
  readonly Edit?: string
  readonly by?: Phone
}

/** Fields of a message that name another one by its key; what does not change that one says why it may be of anybody. */
const NAMING: Readonly<Record<string, string>> = {
  ProtocolMessage: 'change',
  PinInChatMessage: 'change',
  KeepInChatMessage: 'change',
  ScheduledCallEditMessage: 'change',
  SecretEncryptedMessage: 'opened with the secret: an edit of the author, or an option that members add',
  ReactionMessage: "the sender's own reaction",
  EncReactionMessage: "the sender's own reaction",
  CommentMessage: "the sender's own comment",
  EncCommentMessage: "the sender's own comment",
  PollUpdateMessage: "the sender's own vote",
  EncEventResponseMessage: "the sender's own answer",
  QuestionResponseMessage: "the sender's own answer",
  StatusQuestionAnswerMessage: "the sender's own answer",
  StatusQuotedMessage: 'a quote',
  StatusStickerInteractionMessage: "the sender's own reaction",
  StatusNotificationMessage: 'a notice, which changes no message',
  OrderMessage: 'the request that the order is for',
  SendPaymentMessage: 'the request that is paid',
  CancelPaymentRequestMessage: 'reported as other; payments are between the two sides',
  DeclinePaymentRequestMessage: 'reported as other; payments are between the two sides',
  PeerDataOperationRequestMessage: 'between own devices',
}

/** The types within Message that have a field of the type MessageKey, in Baileys' protobuf. */
function namingTypes(): string[] {
  const file = new URL('../../../node_modules/@whiskeysockets/baileys/WAProto/WAProto.proto', import.meta.url)
  const [, body = ''] = readFileSync(file, 'utf8').split('\nmessage Message {')
  const [message = ''] = body.split('\n}')
  const types = message.split(/\n {4}message /).slice(1)
  return types.filter((type) => /\bMessageKey \w+ = /.test(type)).map((type) => type.split(' ', 1)[0] ?? '')
}

it('fields that name another message are known by what they do to it', () => {
  expect(namingTypes().sort()).to.deep.equal(Object.keys(NAMING).sort())
})

for (const engine of engines) {
  describe(`changes of messages by people who may not make them, on ${engine.name}`, () => {
    let world: World
    let session: LinkedSession
    let hook: Hook
    let cloud: CloudReceiver
    const formats = new Map<string, Receiver>()
    /** Ids of the messages of which hooks are told that they are refused. */
    const refused = new Set<string>()
    const hooks = definePlugin({
      name: 'watcher',
      version: '1.0.0',
      api: '^1.0.0',
      wants: ['messageHookChain'],
      contributes: {
        messageHooks: () => ({ onIncoming: ({ id, isRefused }) => void (isRefused && refused.add(id)) }),
      },
    })
    /** Creates the groups. */
    let ana: Phone
    let bob: Phone
    let eve: Phone
    let number: string
    let group: string

    before(async () => {
      ;({ world, session, ana } = await openShop(
        { extra: [chatLog, cloudApi, hooks], profile: 'standard' },
        engine,
      ))
      number = session.phone.account.phone
      bob = await world.phone('Bob')
      eve = await world.phone('Eve')
      hook = await hookOf(session)
      cloud = await startCloudReceiver()
      await setWebhook(world, session, cloud.url)
      await world.gateway.call('PUT', '/session/settings/cloud-api', {
        body: { Values: { groups: true } },
        headers: session.headers,
      })
      for (const Format of ['waha', 'evolution', 'wuzapi']) {
        const receiver = await startReceiver()
        formats.set(Format, receiver)
        await session.post('/webhook/endpoints', { URL: receiver.url, Format })
      }
      const { JID } = await ana.act({
        Action: 'createGroup',
        Text: 'Team',
        Participants: [number, bob.account.phone, eve.account.phone],
      })
      group = String(JID)
    })
    after(async () => {
      await hook.close()
      for (const receiver of [cloud, ...formats.values()]) await receiver.close()
      await world.stop()
    })
    afterEach(() => world.fault({ Fault: 'clear' }))

    const edited = { conversation: 'forged' }
    const edit = (key: object) => ({ protocolMessage: { key, type: EDIT, editedMessage: edited } })
    const revoke = (key: object) => ({ protocolMessage: { key, type: REVOKE } })
    async function said(phone: Phone, to: string, text: string): Promise<string> {
      const id = await phone.send(to, { Text: text })
      await hook.message(id)
      return id
    }
    /** A text sent to the person or group through the gateway. */
    async function own(Phone: string, Body: string): Promise<string> {
      const { data } = await session.post('/send/text', { Phone, Body })
      await hook.message(data.Id)
      return data.Id
    }
    const shownOn = (phone: Phone, chat: string, id: string) =>
      phone.display.page(chat, Number.POSITIVE_INFINITY, 1_000).find(({ ID }) => ID === id)
    const logged = async (chat: string): Promise<Body[]> =>
      (await session.get(`/chats/${chat}/messages?limit=200`)).data.Messages

    /** Sends them, and waits until everybody has what was sent after them. Resolves with the bodies about them, by name. */
    async function send(all: readonly Forged[]): Promise<Map<string, Body>> {
      const ids = new Map<string, string>()
      for (const { name, to, Message, Edit, by = eve } of all)
        ids.set(name, await by.send(to, { Message: Message as never, ...(Edit ? { Edit } : {}) }))
      for (const chat of new Set(all.map(({ to }) => to))) {
        const text = `after ${ids.size} in ${chat} at ${performance.now()}`
        const marker = await eve.send(chat, { Text: text })
        await session.phone.wait(({ id }) => id === marker)
        await hook.message(marker)
        for (const receiver of formats.values()) await receiver.wait(({ body }) => body.includes(marker))
        await cloud.body((value) => textsOf([value]).includes(text))
        const jid = chat === number ? eve.account.phone : chat
        await eventually(
          async () => (await logged(jid)).some(({ Message }) => Message.id === marker),
          `the marker in ${chat}`,
        )
      }
      const bodies = new Map<string, Body>()
      for (const [name, id] of ids) bodies.set(name, await hook.message(id))
      return bodies
    }

    function expectRefused(name: string, { event, message }: Body): void {
      expect(message, name).to.include({ type: 'other', refused: true, isEdited: false, text: '' })
      expect(message, name).not.to.have.property('targetId')
      expect(event.Info, name).to.include({ Edit: '' })
      expect(event, name).to.include({ IsEdit: false })
      expect(Object.keys(event.Message), name).not.to.be.empty
    }

    /** Refused by the gateway and its formats; what they were to change is as it was. */
    async function expectNothing(
      all: readonly Forged[],
      chats: readonly string[],
      victims: readonly string[],
    ) {
      const before = await Promise.all(chats.map(logged))
      const bodies = await send(all)
      for (const [name, body] of bodies) expectRefused(name, body)
      const ids = [...bodies.values()].map(({ message }) => message.id)
      for (const [format, receiver] of formats) {
        const about = receiver.deliveries.filter(({ body }) => ids.some((id) => body.includes(id)))
        expect(
          about.map(({ body }) => body),
          format,
        ).to.deep.equal([])
      }
      const types = cloud.bodies().flatMap(({ messages = [] }) => messages.map(({ type }) => type))
      expect(new Set(types)).to.deep.equal(new Set(['text']))
      for (const [at, chat] of chats.entries()) {
        const after = await logged(chat)
        for (const id of victims) {
          const find = (some: readonly Body[] | undefined) => some?.find(({ Message }) => Message.id === id)
          expect(find(after), id).to.deep.equal(find(before[at]))
        }
        expect(
          after.filter(({ Message }) => ids.includes(Message.id)),
          chat,
        ).to.deep.equal([])
      }
      for (const { name } of all) expect(bodies.has(name)).to.equal(true)
      expect(ids.filter((id) => !refused.has(id))).to.deep.equal([])
    }

    /** All forms in which somebody can try to change that message of the group. */
    function inGroup(id: string, author: string): Forged[] {
      const by = { fromMe: false, participant: author }
      const key = { remoteJid: group, id }
      const mine = { ...key, fromMe: true }
      const theirs = { ...key, ...by }
      const asSelf = { ...key, fromMe: false, participant: eve.account.lid }
      const nested = revoke(mine)
      const wrapped = (field: string, Message: object): Forged => ({
        name: `${id} in ${field}`,
        to: group,
        Message: { [field]: { message: Message } },
        Edit: '7',
      })
      const forms: Omit<Forged, 'to'>[] = [
        { name: 'an edit as of an own message', Message: edit(mine), Edit: '1' },
        { name: 'an edit that names the author', Message: edit(theirs), Edit: '1' },
        { name: 'an edit without author', Message: edit({ ...key, fromMe: false }), Edit: '1' },
        { name: 'an edit by content alone', Message: edit(theirs) },
        { name: 'an edit in the name of another, as own', Message: edit({ ...theirs, fromMe: true }) },
        {
          name: 'an edit of the wrong type',
          Message: { protocolMessage: { ...edit(mine).protocolMessage, type: REVOKE } },
        },
        { name: 'a deletion as of an own message', Message: revoke(mine), Edit: '7' },
        { name: 'a deletion that names the author', Message: revoke(theirs), Edit: '7' },
        { name: 'a deletion without author', Message: revoke({ ...key, fromMe: false }), Edit: '7' },
        { name: 'a deletion without type', Message: { protocolMessage: { key: theirs } }, Edit: '7' },
        { name: 'a deletion by content alone', Message: revoke(theirs) },
        { name: 'a deletion as of an own message by content alone', Message: revoke(mine) },
        { name: 'a deletion marked as an edit', Message: revoke(mine), Edit: '1' },
        { name: 'a deletion as an admin', Message: revoke(theirs), Edit: '8' },
        { name: 'a deletion as an admin, as of an own message', Message: revoke(asSelf), Edit: '8' },
        {
          name: 'a deletion of the author elsewhere',
          Message: revoke({ ...theirs, remoteJid: eve.account.lid }),
          Edit: '8',
        },
        {
          name: 'a deletion in an edit',
          Message: edit(mine) && { protocolMessage: { type: EDIT, editedMessage: nested } },
          Edit: '1',
        },
        {
          name: 'the end of a call',
          Message: { scheduledCallEditMessage: { key: theirs, editType: 1 } },
        },
        {
          name: 'a pin of another chat',
          Message: { pinInChatMessage: { key: { ...theirs, remoteJid: eve.account.lid }, type: 1 } },
          Edit: '2',
        },
      ]
      const wrappers = [
        ...(['ephemeralMessage', 'viewOnceMessage', 'viewOnceMessageV2', 'editedMessage'] as const),
        ...(['documentWithCaptionMessage', 'groupMentionedMessage', 'associatedChildMessage'] as const),
        ...(['botInvokeMessage', 'deviceSentMessage', 'commentMessage', 'lottieStickerMessage'] as const),
      ]
      return [
        ...forms.map((form) => ({ ...form, name: `${id}: ${form.name}`, to: group })),
        ...wrappers.map((field) => wrapped(field, nested)),
        wrapped('viewOnceMessage', {
          ephemeralMessage: { message: { deviceSentMessage: { message: nested } } },
        }),
      ]
    }

    it('are refused in groups, by members (whatsapp/42)', async () => {
      world.fault({ Fault: 'lenientRevokes' })
      world.fault({ Fault: 'legacyViewOnce' })
      const byBob = await said(bob, group, 'by Bob')
      const byAna = await said(ana, group, 'by Ana')
      const byShop = await own(group, 'by the shop')
      await said(bob, group, 'later')
      const all = [
        ...inGroup(byBob, bob.account.lid),
        ...inGroup(byAna, ana.account.jid),
        ...inGroup(byShop, session.phone.account.lid),
      ]
      await expectNothing(all, [group], [byBob, byAna, byShop])
      for (const phone of [session.phone, ana, bob])
        for (const id of [byBob, byAna, byShop])
          expect(shownOn(phone, group, id), `${id} on ${phone.account.name}`).to.include({
            Edited: false,
            Revoked: false,
            Kind: 'text',
          })
    })

    it('are refused from the other side of a chat (whatsapp/42)', async () => {
      const chat = eve.account.phone
      const id = await own(chat, 'agreed: 100')
      const elsewhere = await said(bob, group, 'in the group')
      const { jid, lid } = session.phone.account
      const keys = [jid, lid, eve.account.lid].flatMap((remoteJid) => [
        { remoteJid, id, fromMe: true },
        { remoteJid, id, fromMe: false },
        { remoteJid, id, fromMe: false, participant: jid },
        { remoteJid, id },
      ])
      const all = keys.flatMap((key, at): Forged[] => [
        { name: `an edit ${at}`, to: number, Message: edit(key), Edit: '1' },
        { name: `an edit by content ${at}`, to: number, Message: edit(key) },
        { name: `a deletion ${at}`, to: number, Message: revoke(key), Edit: '7' },
        { name: `a deletion by content ${at}`, to: number, Message: revoke(key) },
        { name: `a deletion as an admin ${at}`, to: number, Message: revoke(key), Edit: '8' },
        {
          name: `a deletion in a copy of an own message ${at}`,
          to: number,
          Message: { deviceSentMessage: { destinationJid: lid, message: revoke(key) } },
          Edit: '7',
        },
      ])
      const away = { id: elsewhere, fromMe: true }
      all.push(
        { name: 'in a group', to: number, Message: revoke({ ...away, remoteJid: group }), Edit: '7' },
        { name: 'of a group', to: number, Message: revoke({ ...away, remoteJid: lid }), Edit: '7' },
      )
      await expectNothing(all, [chat], [id])
      expect(shownOn(session.phone, eve.account.lid, id)).to.include({ Edited: false, Revoked: false })
      expect(shownOn(session.phone, group, elsewhere)).to.include({ Edited: false, Revoked: false })
    })

    it('are refused by settings and pins that only admins of the group may make (whatsapp/42)', async () => {
      const id = await said(bob, group, 'to be pinned')
      const key = { remoteJid: group, id, fromMe: false, participant: bob.account.lid }
      const pin = {
        pinInChatMessage: { key, type: 1 },
        messageContextInfo: { messageAddOnDurationInSecs: 86_400 },
      }
      const keep = { keepInChatMessage: { key, keepType: 1 } }
      const timer = {
        protocolMessage: { type: TIMER, ephemeralExpiration: 60, ephemeralSettingTimestamp: 1 },
      }
      const before = await send([{ name: 'pin', to: group, Message: pin, Edit: '2' }])
      expect(before.get('pin').message).to.include({ type: 'pin', targetId: id })
      expect(shownOn(session.phone, group, id)).to.have.property('Pinned')
      await ana.act({ Action: 'lock', Chat: group })
      await expectNothing(
        [
          { name: 'unpinned', to: group, Message: { pinInChatMessage: { key, type: 2 } }, Edit: '2' },
          { name: 'kept', to: group, Message: keep },
          { name: 'timed', to: group, Message: timer },
        ],
        [group],
        [id],
      )
      expect(shownOn(session.phone, group, id)).to.have.property('Pinned')
      const { Id } = await ana.act({ Action: 'pinMessage', Id: id, Data: { On: false } })
      expect((await hook.message(String(Id))).message).to.include({ type: 'pin', targetId: id })
      expect(shownOn(session.phone, group, id)).not.to.have.property('Pinned')
    })

    it('are refused of status posts (whatsapp/42)', async () => {
      const { Id: id } = await bob.act({
        Action: 'postStatus',
        Text: 'by Bob',
        Participants: [number, eve.account.phone],
      })
      await hook.message(String(id))
      await eve.wait((one) => one.id === id)
      const { Id } = await eve.act({ Action: 'revokeStatus', Id: String(id), Participants: [number] })
      expectRefused('a post', await hook.message(String(Id)))
      const { Id: own } = await bob.act({ Action: 'revokeStatus', Id: String(id), Participants: [number] })
      expect((await hook.message(String(own))).message).to.include({ type: 'revoke', targetId: id })
    })

    it('are no changes if only their stanza says so', async () => {
      const marks = ['1', '3', '7', '8']
      world.fault({ Fault: 'lenientRevokes' })
      const bodies = await send(
        marks.map((Edit) => ({ name: Edit, to: group, Message: { conversation: `plain ${Edit}` }, Edit })),
      )
      for (const [name, { event, message }] of bodies) {
        expect(message, name).to.include({ type: 'text', text: `plain ${name}`, isEdited: false })
        expect(message, name).not.to.have.property('refused')
        expect(event.Info, name).to.include({ Edit: '' })
        expect(event, name).to.include({ IsEdit: false })
      }
    })

    describe('are made by those who may', () => {
      /** The change is reported, logged and shown. */
      async function expectChange(
        id: string,
        target: string,
        chat: string,
        is: 'edit' | 'revoke',
        Edit: string,
      ) {
        const { event, message } = await hook.message(id)
        expect(message).to.include({ type: is, targetId: target })
        expect(message).not.to.have.property('refused')
        expect(event.Info).to.include({ Edit })
        await eventually(async () => {
          const found = (await logged(chat)).find(({ Message }) => Message.id === target)
          return is === 'edit' ? found?.Edited : found?.Deleted
        }, `${is} of ${target} in the log`)
        const jid = chat === eve.account.phone ? eve.account.lid : chat
        await eventually(
          async () => shownOn(session.phone, jid, target)?.[is === 'edit' ? 'Edited' : 'Revoked'],
          'shown',
        )
      }

      it('in all forms of their address, in groups', async () => {
        const { lid, jid } = eve.account
        const keys = [
          { fromMe: true },
          { fromMe: true, participant: lid },
          { fromMe: false, participant: lid },
        ]
        for (const [at, key] of [...keys, { fromMe: false, participant: jid }, { fromMe: false }].entries()) {
          const id = await said(eve, group, `to be changed ${at}`)
          const target = { remoteJid: group, id, ...key }
          const first = await eve.send(group, { Message: edit(target) as never, Edit: '1' })
          await expectChange(first, id, group, 'edit', '1')
          const second = await eve.send(group, { Message: edit(target) as never })
          await expectChange(second, id, group, 'edit', '1')
          const last = await eve.send(group, {
            Message: revoke(target) as never,
            ...(at % 2 ? { Edit: '7' } : {}),
          })
          await expectChange(last, id, group, 'revoke', '7')
        }
      })

      it('in all forms of the chat, with one person', async () => {
        const { lid, jid } = session.phone.account
        for (const remoteJid of [lid, jid, '']) {
          const id = await said(eve, number, `to be changed ${remoteJid}`)
          const key = { id, fromMe: true, ...(remoteJid ? { remoteJid } : {}) }
          const Message = { ephemeralMessage: { message: edit(key) } }
          await expectChange(
            await eve.send(number, { Message: Message as never, Edit: '1' }),
            id,
            eve.account.phone,
            'edit',
            '1',
          )
          await expectChange(
            await eve.send(number, { Message: revoke(key) as never, Edit: '7' }),
            id,
            eve.account.phone,
            'revoke',
            '7',
          )
        }
      })

      it('as admins of the group (whatsapp/42)', async () => {
        const byShop = await own(group, 'by the shop')
        await ana.wait(({ id }) => id === byShop)
        const { Id } = await ana.act({ Action: 'revoke', Id: byShop })
        await expectChange(String(Id), byShop, group, 'revoke', '8')
        const byEve = await said(eve, group, 'by Eve')
        await bob.wait(({ id }) => id === byEve)
        await ana.act({ Action: 'promote', Chat: group, Participants: [bob.account.phone] })
        const { Id: second } = await bob.act({ Action: 'revoke', Id: byEve })
        await expectChange(String(second), byEve, group, 'revoke', '8')
        await ana.act({ Action: 'demote', Chat: group, Participants: [bob.account.phone] })
      })

      it('as the account itself, on its phone', async () => {
        const chat = eve.account.phone
        const bySelf = await own(chat, 'by the gateway')
        await session.phone.wait(({ id }) => id === bySelf)
        const { Id } = await session.phone.act({ Action: 'edit', Id: bySelf, Text: 'by the phone' })
        await expectChange(String(Id), bySelf, chat, 'edit', '1')
        const { Id: second } = await session.phone.act({ Action: 'revoke', Id: bySelf })
        await expectChange(String(second), bySelf, chat, 'revoke', '7')
        await ana.act({ Action: 'promote', Chat: group, Participants: [number] })
        const byEve = await said(eve, group, 'deleted by the shop')
        await session.phone.wait(({ id }) => id === byEve)
        const { Id: third } = await session.phone.act({ Action: 'revoke', Id: byEve })
        await expectChange(String(third), byEve, group, 'revoke', '8')
        await ana.act({ Action: 'demote', Chat: group, Participants: [number] })
      })

      it('of messages that the gateway has never seen, by the author that they name', async () => {
        const key = { remoteJid: group, id: '3AUNKNOWN' }
        const bodies = await send([
          { name: 'own', to: group, Message: revoke({ ...key, fromMe: true }), Edit: '7' },
          {
            name: 'of another',
            to: group,
            Message: revoke({ ...key, fromMe: false, participant: bob.account.lid }),
            Edit: '7',
          },
        ])
        expect(bodies.get('own').message).to.include({ type: 'revoke', targetId: key.id })
        expectRefused('of another', bodies.get('of another'))
      })
    })
  })
}
