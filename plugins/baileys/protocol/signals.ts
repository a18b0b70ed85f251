import type { BinaryNode, WAMessage } from '@whiskeysockets/baileys'
import { Jid } from 'wamux/messaging'
import type { SignalOrigin } from 'wamux/plugin'
import {
  decodeMessageNode,
  getBinaryNodeChild,
  isJidNewsletter,
  jidNormalizedUser,
  proto,
  unpadRandomMax16,
} from '../baileys.ts'
import type { MessageSignal, ReceiptSignal } from '../sdk.ts'
import { isBot } from './bots.ts'
import { chatJid } from './business/hosted-jid.ts'
import { businessOriginOf } from './business/origin.ts'
import { revokedPost } from './newsletter-posts.ts'
import type { Received } from './received.ts'

export interface Me {
  id: string
  lid: string
}

/**
 * The messages in a decrypted stanza; none if it is only exchanged between devices (sender keys, history, key shares). The
 * result is the same for a first delivery, a redelivery, and a replay after a crash.
 */
export function messagesOf({ stanza, plain }: Received, me: Me): MessageSignal[] {
  const envelope = envelopeOf(stanza, me)
  // Newsletter posts are not encrypted and therefore not padded.
  const outer = proto.Message.decode(isJidNewsletter(stanza.attrs['from']) ? plain : unpadRandomMax16(plain))
  // Only own devices send copies of what they have sent.
  const copy = envelope.key.fromMe ? outer.deviceSentMessage?.message : undefined
  const message = revokedPost(stanza) ?? copy ?? outer
  if (isPeer(stanza)) return envelope.key.fromMe ? resentOf(message) : []
  if (!hasContent(message)) return []
  const upsert = stanza.attrs['offline'] || envelope.key.fromMe ? 'append' : 'notify'
  const business = businessOriginOf(stanza)
  const signal = { message: { ...envelope, message }, upsert, attrs: stanza.attrs } as const
  return [business ? { ...signal, business } : signal]
}

/** Whether Baileys can decode what a ciphertext contained. */
export function isReadable(plain: Uint8Array): boolean {
  try {
    proto.Message.decode(unpadRandomMax16(plain))
    return true
  } catch {
    return false
  }
}

/** Where a stanza comes from, whatever its content is. Never throws. */
export function originOf(stanza: BinaryNode, me: Me, plain?: Uint8Array): SignalOrigin {
  const { id, from = '', participant = from, t } = stanza.attrs
  const seconds = Number(t)
  const time = new Date(seconds > 0 && seconds < MAX_SECONDS ? seconds * 1000 : Date.now()).toISOString()
  const sent = { id, time, bytes: plain && unpadded(stanza, plain) }
  const named = { ...sent, chat: chatJid(from), sender: chatJid(participant) }
  if (stanza.tag !== 'message') return named
  try {
    const { remoteJid, fromMe, participant: author } = envelopeOf(stanza, me).key
    const chat = remoteJid ?? ''
    return {
      ...sent,
      chat,
      fromMe: fromMe === true,
      sender: fromMe ? jidNormalizedUser(me.id) : author || chat,
    }
  } catch {
    return named
  }
}

/** The year 9999; a date beyond has another form. */
const MAX_SECONDS = 253_402_300_800

function unpadded(stanza: BinaryNode, plain: Uint8Array): Uint8Array {
  const { length } = plain
  const pad = isJidNewsletter(stanza.attrs['from']) ? 0 : (plain[length - 1] ?? 0)
  return pad <= length ? plain.subarray(0, length - pad) : plain
}

/** A message without its content: sender, chat and time. */
export function envelopeOf(stanza: BinaryNode, me: Me): WAMessage {
  const { fullMessage } = decodeMessageNode(stanza, me.id, me.lid)
  const { key: read } = fullMessage
  // Baileys knows the author of an own status post by number alone (Utils/decode-wa-message.js).
  const isOwnPost = read.remoteJid === Jid.status && sameUser(chatJid(read.participant ?? ''), me.lid)
  const key = isOwnPost ? { ...read, fromMe: true } : read
  const { recipient = '' } = stanza.attrs
  // For a message from an own device to a bot, Baileys takes the own number for the chat (Utils/decode-wa-message.js).
  const remoteJid = key.fromMe && isBot(recipient) ? recipient : key.remoteJid
  const normal = {
    ...key,
    remoteJid: chatJid(remoteJid ?? ''),
    participant: key.participant ? chatJid(key.participant) : undefined,
  }
  return { ...fullMessage, key: normal } as WAMessage
}

/** Whether it is exchanged between the account's own devices, hidden from the user. */
export function isPeer({ attrs }: BinaryNode): boolean {
  return attrs['category'] === 'peer'
}

/** Messages that the account's phone forwards because the network had no content for this device. */
function resentOf(message: proto.IMessage): MessageSignal[] {
  const results =
    message.protocolMessage?.peerDataOperationRequestResponseMessage?.peerDataOperationResult ?? []
  return results.flatMap(({ placeholderMessageResendResponse: resent }) => {
    if (!resent?.webMessageInfoBytes) return []
    const info = proto.WebMessageInfo.decode(resent.webMessageInfoBytes)
    if (!info.key?.remoteJid || !info.message || !hasContent(info.message)) return []
    return [{ message: info as WAMessage, upsert: 'append' as const, attrs: {} }]
  })
}

/** Whether there is anything to show besides a sender key and exchanges between own devices. */
function hasContent(message: proto.IMessage): boolean {
  const names = Object.keys(proto.Message.fromObject(message).toJSON())
  // A notice says that the history of the group was shared with somebody.
  const contentless = ['senderKeyDistributionMessage', 'messageContextInfo', 'messageHistoryNotice']
  const isKeyOnly = names.every((name) => contentless.includes(name))
  const { Type } = proto.Message.ProtocolMessage
  const between = [
    Type.APP_STATE_SYNC_KEY_SHARE,
    Type.APP_STATE_SYNC_KEY_REQUEST,
    Type.HISTORY_SYNC_NOTIFICATION,
    Type.PEER_DATA_OPERATION_REQUEST_MESSAGE,
    Type.PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
  ]
  const type = message.protocolMessage?.type
  return !isKeyOnly && !(message.protocolMessage && between.some((one) => one === type))
}

const RECEIPTS: ReadonlyMap<string, ReceiptSignal['type']> = new Map([
  ['', 'delivered'],
  ['inactive', 'delivered'],
  ['read', 'read'],
  ['read-self', 'read-self'],
  ['played', 'played'],
  ['played-self', 'played-self'],
])

/** Whether a receipt only reports delivery or reading and needs no answer. */
export function isPlainReceipt({ attrs: { id, from, type = '' } }: BinaryNode): boolean {
  return RECEIPTS.has(type) && Boolean(id && from)
}

/** The receipt in a stanza; undefined for those between devices (`sender`, `retry` …). */
export function receiptOf({ attrs, content }: BinaryNode, me: Me): ReceiptSignal | undefined {
  const type = RECEIPTS.get(attrs['type'] ?? '')
  const { id = '', from = '', participant, recipient } = attrs
  if (!type || !id) return undefined
  const items = Array.isArray(content)
    ? getBinaryNodeChild({ tag: '', attrs: {}, content }, 'list')?.content
    : undefined
  const listed = Array.isArray(items) ? items.map((item) => item.attrs['id'] ?? '') : []
  const sender = chatJid(participant ?? from)
  const fromMe = sameUser(sender, me.id) || sameUser(sender, me.lid)
  return {
    chat: chatJid(fromMe && recipient ? recipient : from),
    sender,
    senderAlt: '',
    ids: [id, ...listed.filter((one) => one && one !== id)],
    type,
    fromMe,
    time: new Date(Number(attrs['t'] ?? 0) * 1000 || Date.now()).toISOString(),
  }
}

/** Proof that a recipient has, or has read, messages of a chat. */
export interface Proof {
  /** JIDs of the chat in all known forms. */
  chats: readonly string[]
  ids: readonly string[]
  /** Milliseconds since 1970. */
  time: number
}

/** The proof in a recipient's receipt. */
export function proofOf({ chat, ids, fromMe, time }: ReceiptSignal): Proof | undefined {
  return fromMe ? undefined : { chats: [chat], ids, time: Date.parse(time) }
}

/** A device that requests a message again has received it. */
export function retriedOf({ attrs }: BinaryNode, me: Me): Proof | undefined {
  if (attrs['type'] !== 'retry') return undefined
  const receipt = receiptOf({ tag: '', attrs: { ...attrs, type: '' } }, me)
  return receipt && proofOf(receipt)
}

function sameUser(a: string, b: string): boolean {
  return a !== '' && a === jidNormalizedUser(b)
}
