import type { GatewayServices } from 'wamux/plugin'
import { bare, bytes, child, children, el, parseJid, seconds } from '../../stanza.ts'
import type { Account, Stanza } from '../../types.ts'
import { openAnswer } from '../messages/bot-secret.ts'
import type { Proto } from '../messages/compose.ts'
import type { PhoneKeys } from './keys.ts'
import type { OwnDevice } from './own-device.ts'

/** A decrypted message. */
export interface DecryptedMessage {
  id: string
  /** JID of the chat: the other party or the group; for a message from an own companion, its recipient. */
  chat: string
  from: string
  fromMe: boolean
  timestamp: number
  message: Proto
  attrs: Record<string, string>
  /** Nodes next to the ciphertext, for example `biz`, which control how clients show the message. */
  nodes: Stanza[]
}

/** Error code in the ack of an undecryptable message (Baileys Utils/decode-wa-message.js NACK_REASONS). */
const NACK_UNDECRYPTABLE = 500

/** Per message, the limit of clients (Baileys Defaults/index.js maxMsgRetryCount). */
const MAX_RETRIES = 5

export interface InboxParts extends Pick<OwnDevice, 'wire' | 'account' | 'uplink'> {
  /** How often each message was requested again, by id and sender. */
  readonly retries: Map<string, number>
  keys: PhoneKeys
  /** The secret of a sent message, with which a bot's answer is encrypted. */
  secretOf(id: string): Uint8Array | undefined
}

/** Decrypts a message stanza and sends its receipt, or a retry receipt if decryption fails. */
export async function decryptMessage(
  parts: InboxParts,
  stanza: Stanza,
): Promise<DecryptedMessage | undefined> {
  if (isPost(stanza)) return openPost(parts, stanza)
  const { attrs } = stanza
  try {
    storeLidMapping(parts, attrs)
    if (isUnknown(stanza)) return acknowledge(parts, stanza)
    const message = await decrypt(parts, stanza)
    sendReceipt(parts, stanza)
    if (!message) return undefined
    const from = attrs['participant'] ?? attrs['from'] ?? ''
    const fromMe = isOwn(parts.account, from)
    // A copy is of an own device; the same of somebody else is no message.
    const sent = fromMe ? message.deviceSentMessage : undefined
    const to = sent?.destinationJid ?? attrs['recipient'] ?? attrs['from'] ?? ''
    const chat = fromMe ? to : (attrs['from'] ?? '')
    return {
      id: attrs['id'] ?? '',
      chat: bare(chat),
      from,
      fromMe,
      timestamp: Number(attrs['t'] ?? 0),
      message: (sent?.message as Proto | undefined) ?? message,
      attrs,
      nodes: children(stanza).filter(({ tag }) => tag !== 'enc' && tag !== 'device-identity'),
    }
  } catch (error) {
    requestRetry(parts, stanza)
    throw error
  }
}

const KNOWN_TYPES: readonly (string | undefined)[] = ['pkmsg', 'msg', 'skmsg', 'msmsg']

/** Whether it has ciphertexts, and all are of types that clients do not know. */
function isUnknown(stanza: Stanza): boolean {
  const encs = children(stanza, 'enc')
  return encs.length > 0 && encs.every(({ attrs }) => !KNOWN_TYPES.includes(attrs['type']))
}

/** Ends its delivery without a receipt: nothing of it was read, and a resent one would be no better. */
function acknowledge({ uplink }: InboxParts, { attrs }: Stanza): undefined {
  const { id, from: to, participant, recipient } = attrs
  uplink.send(el('ack', { class: 'message', id, to, participant, recipient }))
}

async function decrypt(parts: InboxParts, stanza: Stanza): Promise<Proto | undefined> {
  const { wire, keys } = parts
  const from = stanza.attrs['from'] ?? ''
  const author = stanza.attrs['participant'] ?? from
  let decrypted: Proto | undefined
  for (const enc of children(stanza, 'enc')) {
    const { type } = enc.attrs
    if (!KNOWN_TYPES.includes(type)) continue
    if (type === 'msmsg') return decryptBotAnswer(parts, stanza, enc)
    const plain =
      type === 'skmsg'
        ? keys.senderKeys.decrypt(from, author, bytes(enc))
        : await keys.sessions.decrypt(author, type === 'pkmsg' ? 'pkmsg' : 'msg', bytes(enc))
    const message = decode(wire, () => wire.unpadRandomMax16(plain))
    if (!message) continue
    const item = message.senderKeyDistributionMessage
    const { groupId, axolotlSenderKeyDistributionMessage: distribution } = item ?? {}
    if (groupId && distribution) keys.senderKeys.accept(groupId, author, distribution)
    const isOnlyKey =
      item &&
      !message.conversation &&
      Object.keys(message.toJSON()).every(
        (key) => key === 'senderKeyDistributionMessage' || key === 'messageContextInfo',
      )
    if (!isOnlyKey) decrypted = message
  }
  return decrypted
}

/** undefined for what is no message: phones confirm it, and show nothing of it. */
function decode({ proto, unbounded }: GatewayServices['wire'], bytesOf: () => Uint8Array): Proto | undefined {
  try {
    // A client of this gateway may send as much as the network takes.
    return unbounded(() => proto.Message.decode(bytesOf()))
  } catch {
    return undefined
  }
}

function decryptBotAnswer({ wire, account, secretOf }: InboxParts, stanza: Stanza, enc: Stanza): Proto {
  const { id = '', from = '' } = stanza.attrs
  const question = child(stanza, 'meta')?.attrs['target_id'] ?? ''
  const first = child(stanza, 'bot')?.attrs['edit_target_id']
  const secret = secretOf(question)
  if (!secret) throw new Error(`no secret of ${question}`)
  const name = { id: first ?? id, asker: account.lid, bot: from }
  return wire.proto.Message.decode(openAnswer(wire, secret, name, bytes(enc)))
}

function isPost({ attrs }: Stanza): boolean {
  return parseJid(attrs['from'])?.server === 'newsletter'
}

/** Newsletter posts are not encrypted, and are acknowledged by an ack instead of a receipt. */
function openPost({ wire, uplink }: InboxParts, stanza: Stanza): DecryptedMessage {
  const { id = '', from = '', t = '0' } = stanza.attrs
  uplink.send(el('ack', { class: 'message', id, to: from }))
  const message = wire.proto.Message.decode(bytes(child(stanza, 'plaintext')))
  return {
    id,
    chat: from,
    from,
    fromMe: false,
    timestamp: Number(t),
    message,
    nodes: children(stanza).filter(({ tag }) => tag !== 'plaintext'),
    attrs: stanza.attrs,
  }
}

/** Stores the sender's LID, which addresses its session; a stanza has both phone number and LID. */
function storeLidMapping({ keys, account }: InboxParts, attrs: Record<string, string>): void {
  const author = attrs['participant'] ?? attrs['from'] ?? ''
  const other =
    attrs['sender_lid'] ?? attrs['sender_pn'] ?? attrs['participant_lid'] ?? attrs['participant_pn']
  const alternate = other ?? (isOwn(account, author) ? account.lid : undefined)
  if (!alternate) return
  const [lid, pn] = bare(author).endsWith('@lid') ? [author, alternate] : [alternate, author]
  keys.sessions.learn(lid, pn)
}

function sendReceipt({ account, uplink }: InboxParts, { attrs }: Stanza): void {
  const { id, from = '', participant, recipient } = attrs
  const isOwnMessage = isOwn(account, participant ?? from)
  uplink.send(
    el('receipt', {
      id,
      to: from,
      participant,
      recipient,
      type: isOwnMessage ? 'sender' : undefined,
      t: seconds(),
    }),
  )
}

/** Asks the sender to encrypt the message again. Limited, since the resent one may be undecryptable too. */
function requestRetry({ keys, uplink, retries }: InboxParts, { attrs }: Stanza): void {
  // The recipient, by which an own device finds what it has sent (WR retry.rs).
  const { id, from = '', participant, recipient, t } = attrs
  const key = `${id} ${participant ?? from}`
  const count = (retries.get(key) ?? 0) + 1
  retries.set(key, count)
  if (count <= MAX_RETRIES) {
    const registration = Buffer.alloc(4)
    registration.writeUInt32BE(keys.creds.registrationId)
    uplink.send(
      el('receipt', { id, to: from, participant, recipient, type: 'retry', t: seconds() }, [
        el('retry', { count, id, t, v: 1 }),
        el('registration', {}, registration),
      ]),
    )
  }
  uplink.send(el('ack', { class: 'message', id, to: from, participant, error: NACK_UNDECRYPTABLE }))
}

export function isOwn(account: Account, jid: string): boolean {
  const user = parseJid(jid)?.user
  return user === account.phone || user === parseJid(account.lid)?.user
}

/** The attempt number of a retry receipt. */
export function retryCount(receipt: Stanza): string {
  return child(receipt, 'retry')?.attrs['count'] ?? '1'
}
