import { randomBytes } from 'node:crypto'
import { bare, child, children, el, isHosted, parseJid, SERVER, serverOf, withDevice } from '../../stanza.ts'
import type { Stanza, Uplink } from '../../types.ts'
import { isQuiz, pollIn } from '../display/content.ts'
import { encodeMessage, type Proto } from '../messages/compose.ts'
import { isViewOnce, mediaTypeOf } from '../messages/kind.ts'
import { isOwn } from './inbox.ts'
import type { PhoneKeys } from './keys.ts'
import type { OwnDevice } from './own-device.ts'
import type { KnownTokens } from './tokens.ts'

export interface PhoneSendExtras {
  id?: string | undefined
  edit?: string
  /** Whom a status post is shown to; its setting says how they were chosen. */
  audience?: { readonly jids: readonly string[]; readonly setting: string } | undefined
  /** Sent instead of the message, and contains its sealed content. */
  envelope?: Proto | undefined
  /** Resends to this device only, to answer its retry receipt with this count. */
  retry?: { device: string; count: string }
}

export interface PhoneOutbox {
  /** Encrypts for every device of the chat and of the own account, and sends. Newsletter posts are not encrypted. */
  send(chat: string, message: Proto, extras?: PhoneSendExtras): Promise<string>
  /** Sends a protocol message to an own companion: key shares, history. */
  peer(companion: string, message: Record<string, unknown>): Promise<void>
}

/** @param ownDevice its number; 0 for the phone. */
export function createOutbox(
  { wire, network, account, uplink, slot }: OwnDevice,
  { keys, tokens }: { keys: PhoneKeys; tokens: KnownTokens },
  ownDevice = 0,
): PhoneOutbox {
  const encode = (message: Proto | Record<string, unknown>): Uint8Array => encodeMessage(wire, message)
  /** Devices that have the sender key, by group. */
  const senderKeyHolders = slot('holders of sender keys', () => new Map<string, Set<string>>())

  const isSelf = (jid: string): boolean => isOwn(account, jid) && parseJid(jid)?.device === ownDevice
  /** Hosted devices take no part in groups (WM send.go). */
  const isInGroups = (jid: string): boolean => !isSelf(jid) && !isHosted(jid)

  async function encrypt(device: string, plain: Uint8Array): Promise<Stanza> {
    const { type, ciphertext } = await keys.sessions.encrypt(device, pad(plain))
    return el('enc', { v: 2, type }, ciphertext)
  }

  async function encryptFor(
    devices: readonly string[],
    plain: Uint8Array,
    attrs: Record<string, string> = {},
  ): Promise<Stanza[]> {
    const open = await keys.openSessions(devices)
    const nodes: Stanza[] = []
    for (const jid of open) {
      const enc = await encrypt(jid, plain)
      Object.assign(enc.attrs, attrs)
      nodes.push(el('to', { jid }, [enc]))
    }
    return nodes
  }

  /**
   * The JID of a person or a device, as all addresses of a 1:1 message are: by LID, once the account's chats are, or else by
   * number; others stay as they are.
   */
  function addressed(jid: string, chat = jid): string {
    const server = serverOf(jid)
    const { device = 0 } = parseJid(jid) ?? {}
    const [person, other] = [jid, chat].map((one) => network.account(bare(one)))
    if ((server !== SERVER && server !== 'lid') || !person) return jid
    const isLid = account.lidMigrated || other?.hidesNumber
    return withDevice(isLid ? person.lid : person.jid, device)
  }

  async function encryptDirect(chat: string, message: Proto, edit?: string): Promise<Stanza[]> {
    const inSpace = (jids: readonly string[]): string[] => jids.map((jid) => addressed(jid, chat))
    const own = inSpace(await devicesOf(uplink, [account.lid]))
    const isOwnChat = isOwn(account, chat)
    const recipients = chat.endsWith('@bot') ? [chat] : inSpace(await devicesOf(uplink, [chat]))
    const others = own.filter((jid) => !isSelf(jid))
    const copy = encode({ deviceSentMessage: { destinationJid: chat, message } })
    const attrs = { ...failureOf(message, edit), ...kindOf(message) }
    return [
      ...(isOwnChat ? [] : await encryptFor(recipients, encode(message), attrs)),
      ...(await encryptFor(others, copy, attrs)),
    ]
  }

  /** What is shared of a group's history is for the devices of some members, and the own ones (zapo WaMessageDispatchCoordinator.ts). */
  async function encryptShared(message: Proto): Promise<Stanza> {
    const { historyReceivers } = message.messageHistoryBundle?.messageHistoryMetadata ?? {}
    const devices = await devicesOf(uplink, [...(historyReceivers ?? []), account.lid])
    const others = devices.filter(isInGroups)
    return el('participants', {}, await encryptFor(others, encode(message), kindOf(message)))
  }

  /** The members of a group, or the audience of a status post, who all get the key again: the network has no list of them. */
  async function encryptGroup(
    chat: string,
    message: Proto,
    { audience, edit }: Pick<PhoneSendExtras, 'audience' | 'edit'>,
  ): Promise<Stanza[]> {
    const members = audience ? [...audience.jids, account.lid] : await membersOf(uplink, chat)
    const devices = (await devicesOf(uplink, members)).filter(isInGroups)
    const { ciphertext, distribution } = keys.senderKeys.encrypt(chat, pad(encode(message)))
    const holders = senderKeyHolders.get(chat) ?? new Set<string>()
    senderKeyHolders.set(chat, holders)
    const withoutKey = audience ? devices : devices.filter((jid) => !holders.has(jid))
    const share = encode({
      senderKeyDistributionMessage: {
        groupId: chat,
        axolotlSenderKeyDistributionMessage: distribution,
      },
    })
    const nodes = await encryptFor(withoutKey, share)
    for (const jid of withoutKey) holders.add(jid)
    return [
      el('participants', {}, nodes),
      el('enc', { v: 2, type: 'skmsg', ...failureOf(message, edit), ...kindOf(message) }, ciphertext),
    ]
  }

  return {
    async send(to, content, { id = newId(), edit, audience, retry, envelope: message = content } = {}) {
      const chat = addressed(to)
      const isStatus = chat === 'status@broadcast'
      const isGroup = isStatus || parseJid(chat)?.server === 'g.us'
      const mode = isGroup && !isStatus ? { addressing_mode: 'lid' } : {}
      const attrs = { id, type: typeOf(message), edit, ...mode }
      if (retry) {
        const device = isGroup ? retry.device : addressed(retry.device, chat)
        const isOwnCopy = !isGroup && isOwn(account, device)
        const copy = { deviceSentMessage: { destinationJid: chat, message } }
        const enc = await encrypt(device, encode(isOwnCopy ? copy : message))
        Object.assign(enc.attrs, failureOf(message, edit))
        enc.attrs['count'] = retry.count
        const to = isGroup
          ? { to: chat, participant: device }
          : { to: device, device_fanout: 'false', recipient: isOwnCopy ? chat : undefined }
        const token = isOwnCopy ? [] : tokens.nodesFor(to.to)
        uplink.send(el('message', { ...attrs, ...to }, [enc, ...metaOf(message), ...token]))
        return id
      }
      if (parseJid(chat)?.server === 'newsletter') {
        const plain = el('plaintext', kindOf(message), Buffer.from(encode(message)))
        uplink.send(el('message', { ...attrs, to: chat }, [plain, ...pollMetaOf(message)]))
        return id
      }
      const encrypted = message.messageHistoryBundle
        ? [await encryptShared(message)]
        : isGroup
          ? await encryptGroup(chat, message, { audience, ...(edit ? { edit } : {}) })
          : [el('participants', {}, await encryptDirect(chat, message, edit))]
      const shownTo = audience && !edit ? [el('meta', { status_setting: audience.setting })] : []
      const nodes = [...encrypted, ...metaOf(message), ...shownTo, ...tokens.nodesFor(chat)]
      const person = parseJid(chat)?.server === 'lid' ? network.account(chat) : undefined
      const peer_recipient_pn = person?.hidesNumber ? undefined : person?.jid
      uplink.send(el('message', { ...attrs, to: chat, peer_recipient_pn }, nodes))
      await tokens.sent(chat, message)
      return id
    },
    async peer(companion, message) {
      await keys.openSessions([companion])
      const device = parseJid(companion)?.device ?? 0
      const attrs = {
        id: newId(),
        to: withDevice(account.jid, device),
        type: 'text',
        category: 'peer',
        device_fanout: 'false',
      }
      uplink.send(el('message', attrs, [await encrypt(companion, encode(message))]))
    },
  }
}

/** All devices of the users by LID, under which sessions are stored. */
async function devicesOf(uplink: Uplink, users: readonly string[]): Promise<string[]> {
  const list = el(
    'list',
    {},
    users.map((jid) => el('user', { jid })),
  )
  const query = el('usync', { mode: 'query', context: 'message' }, [
    el('query', {}, [el('devices'), el('lid')]),
    list,
  ])
  const reply = await uplink.query(el('iq', { xmlns: 'usync', type: 'get', to: 's.whatsapp.net' }, [query]))
  return children(child(child(reply, 'usync'), 'list'), 'user').flatMap((user) => {
    const lid = child(user, 'lid')?.attrs['val'] ?? user.attrs['jid'] ?? ''
    const devices = children(child(child(user, 'devices'), 'device-list'), 'device')
    return devices.map(({ attrs }) => withDevice(lid, Number(attrs['id'] ?? 0)))
  })
}

async function membersOf(uplink: Uplink, group: string): Promise<string[]> {
  const reply = await uplink.query(
    el('iq', { xmlns: 'w:g2', type: 'get', to: group }, [el('query', { request: 'interactive' })]),
  )
  return children(child(reply, 'group'), 'participant').map(({ attrs }) => attrs['jid'] ?? '')
}

/** Appends 1 to 16 bytes, each with their number as its value. */
function pad(plain: Uint8Array): Buffer {
  const size = ((randomBytes(1)[0] ?? 0) % 16) + 1
  return Buffer.concat([plain, Buffer.alloc(size, size)])
}

function typeOf(message: Proto): string {
  if (message.reactionMessage || message.encReactionMessage) return 'reaction'
  const isPoll = Object.entries(message).some(
    ([name, value]) => value && (name.startsWith('pollCreationMessage') || name === 'pollUpdateMessage'),
  )
  if (isPoll || editTypeOf(message) >= POLL_EDIT) return 'poll'
  if (eventTypeOf(message)) return 'event'
  return mediaTypeOf(message) ? 'media' : 'text'
}

/** SecretEncType: 1 edits an event, 2 a message, 4 a poll; 5 adds an option to one. */
const EVENT_EDIT = 1
const POLL_EDIT = 4

function editTypeOf({ secretEncryptedMessage }: Proto): number {
  return secretEncryptedMessage?.secretEncType ?? 0
}

function eventTypeOf(message: Proto): string | undefined {
  if (message.eventMessage) return 'creation'
  if (message.encEventResponseMessage) return 'response'
  return editTypeOf(message) === EVENT_EDIT ? 'edit' : undefined
}

function metaOf(message: Proto): Stanza[] {
  const event = eventTypeOf(message)
  const view_once = isViewOnce(message) ? 'true' : undefined
  const polltype = editTypeOf(message) >= POLL_EDIT ? 'edit' : undefined
  return event || view_once || polltype ? [el('meta', { event_type: event, view_once, polltype })] : []
}

/** Of a poll in a newsletter (ZP transport/node/builders/newsletter.ts; `quiz_creation` in WR wacore/src/types/wire_enums.rs). */
function pollMetaOf(message: Proto): Stanza[] {
  const poll = pollIn(message)
  if (!poll) return []
  return [el('meta', { polltype: isQuiz(poll) ? 'quiz_creation' : 'creation' })]
}

function kindOf(message: Proto): Record<string, string> {
  const mediatype = mediaTypeOf(message)
  return mediatype ? { mediatype } : {}
}

/** What changes or answers another message has no bubble of its own: recipients that can't decrypt it show nothing (WR classify.rs). */
function failureOf(message: Proto, edit?: string): Record<string, string> {
  const type = editTypeOf(message)
  const isSealedEdit = type === EVENT_EDIT || type >= POLL_EDIT
  const isHidden = ADDITIONS.some((field) => message[field]) || message.pollUpdateMessage?.vote
  // A revocation is shown; the network would drop one that is marked.
  const isEdit = edit !== undefined && !REVOCATIONS.includes(edit)
  return isSealedEdit || isHidden || isEdit ? { 'decrypt-fail': 'hide' } : {}
}

/** Content without a bubble of its own. */
const ADDITIONS = [
  'reactionMessage',
  'encReactionMessage',
  'pinInChatMessage',
  'keepInChatMessage',
  'encEventResponseMessage',
  'messageHistoryNotice',
] as const
/** Values of `edit`: by the author, and by an admin. */
const REVOCATIONS: readonly string[] = ['7', '8']

export function newId(): string {
  return `3A${randomBytes(9).toString('hex').toUpperCase()}`
}
