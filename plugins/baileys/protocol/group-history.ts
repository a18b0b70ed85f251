import type { WAMessage } from '@whiskeysockets/baileys'
import { areJidsSameUser, isJidGroup, proto, unpadRandomMax16 } from '../baileys.ts'
import type { Received } from './received.ts'
import { envelopeOf, type Me } from './signals.ts'

/** The newest messages of a group, which a member shares with somebody who has joined it. */
export interface SharedHistory {
  readonly bundle: proto.Message.IMessageHistoryBundle
  readonly group: string
  /** Id of the message with the bundle. */
  readonly id: string
  /** The member who shares it. */
  readonly sender: string
  /** Unix seconds. */
  readonly time: number
}

/** Numbers of the fields of a `GroupHistory` (whatsmeow waGroupHistory.proto), which WAProto lacks: both are of WebMessageInfo. */
const MESSAGES = 1
const OLDER_PINS = 4

/** The bundle in a decrypted stanza; undefined for any other. */
export function sharedIn({ stanza, plain }: Received, me: Me): SharedHistory | undefined {
  const { from: group = '', participant: sender = '', id = '', t } = stanza.attrs
  // Only this type has a bundle: other messages need not be decoded.
  if (stanza.attrs['type'] !== 'media' || !isJidGroup(group)) return undefined
  const outer = proto.Message.decode(unpadRandomMax16(plain))
  const { messageHistoryBundle: bundle } = outer.deviceSentMessage?.message ?? outer
  if (!bundle) return undefined
  const { key } = envelopeOf(stanza, me)
  return { bundle, group: key.remoteJid ?? group, id, sender, time: Number(t ?? 0) }
}

/** A bundle is for the members that it names, by number or LID (zapo src/client/persistence/group-history.ts). */
export function isFor({ bundle }: SharedHistory, { id, lid }: Me): boolean {
  const receivers = bundle.messageHistoryMetadata?.historyReceivers ?? []
  return receivers.some((jid) => areJidsSameUser(jid, id) || areJidsSameUser(jid, lid))
}

/**
 * The messages of the group in a decrypted, uncompressed bundle that have content, each once. The sender becomes the author of its
 * messages, and this account's messages are marked as its own.
 */
export function messagesIn(history: Uint8Array, { group, sender }: SharedHistory, me: Me): WAMessage[] {
  const found = new Map<string, WAMessage>()
  for (const { number, content } of fieldsOf(history, 'the history of the group')) {
    if (number !== MESSAGES && number !== OLDER_PINS) continue
    const info = proto.WebMessageInfo.decode(content)
    const { key, message } = info
    if (!key?.id || !message || (key.remoteJid && key.remoteJid !== group)) continue
    const participant = key.participant || info.participant || (key.fromMe ? sender : '')
    if (!participant) continue
    const fromMe = areJidsSameUser(participant, me.id) || areJidsSameUser(participant, me.lid)
    const own = { ...key, id: key.id, remoteJid: group, fromMe, participant }
    found.set(`${key.id} ${participant}`, Object.assign(info, { key: own }) as WAMessage)
  }
  return [...found.values()]
}

/**
 * The fields with bytes of a protobuf message of which WAProto has no class. Throws for anything else.
 *
 * @param name what the message is, for the error.
 */
export function* fieldsOf(
  bytes: Uint8Array,
  name: string,
): Generator<{ number: number; content: Uint8Array }> {
  let at = 0
  function varint(): number {
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = bytes[at]
      if (byte === undefined) break
      at += 1
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
    throw new Error(`${name} is not readable`)
  }
  while (at < bytes.length) {
    const tag = varint()
    const size = varint()
    if ((tag & 7) !== 2 || at + size > bytes.length) throw new Error(`${name} is not readable`)
    yield { number: tag >>> 3, content: bytes.subarray(at, at + size) }
    at += size
  }
}
