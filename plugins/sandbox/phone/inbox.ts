import type { GatewayServices } from 'wamux/plugin'
import { bare, bytes, child, children, el, parseJid, seconds } from '../stanza.ts'
import type { Account, Stanza, Uplink } from '../types.ts'
import { openAnswer } from './bot-secret.ts'
import type { Proto } from './compose.ts'
import type { PhoneKeys } from './keys.ts'
import { isPost, openPost } from './posts.ts'

/** A message that was decrypted. */
export interface Opened {
  id: string
  /** The chat's JID: the other side, or the group; of an own companion's message its recipient. */
  chat: string
  from: string
  fromMe: boolean
  timestamp: number
  message: Proto
  attrs: Record<string, string>
  /** What came beside the ciphertext, such as `biz`: it says how to show the message. */
  nodes: Stanza[]
}

/** What an ack calls a message that was not decrypted (Baileys, Utils/decode-wa-message.js NACK_REASONS). */
const UNREADABLE = 500

export interface InboxParts {
  wire: GatewayServices['wire']
  account: Account
  keys: PhoneKeys
  uplink: Uplink
  /** The secret that a message of this person carried; a bot's answer is sealed with it. */
  secretOf(id: string): Uint8Array | undefined
}

/** Opens one message stanza and confirms it, or asks for it again when it can't be opened. */
export async function open(parts: InboxParts, stanza: Stanza): Promise<Opened | undefined> {
  if (isPost(stanza)) return openPost(parts, stanza)
  const { attrs } = stanza
  try {
    await learnAddresses(parts, attrs)
    const message = await decrypt(parts, stanza)
    confirm(parts, stanza)
    if (!message) return undefined
    const from = attrs['participant'] ?? attrs['from'] ?? ''
    const fromMe = isOwn(parts.account, from)
    const sent = message.deviceSentMessage
    const chat = fromMe ? (sent?.destinationJid ?? attrs['recipient'] ?? '') : (attrs['from'] ?? '')
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
    askAgain(parts, stanza)
    throw error
  }
}

async function decrypt(parts: InboxParts, stanza: Stanza): Promise<Proto | undefined> {
  const { wire, keys } = parts
  const from = stanza.attrs['from'] ?? ''
  const author = stanza.attrs['participant'] ?? from
  let opened: Proto | undefined
  for (const enc of children(stanza, 'enc')) {
    const { type } = enc.attrs
    if (type === 'msmsg') return botAnswer(parts, stanza, enc)
    const plain =
      type === 'skmsg'
        ? await keys.signal.decryptGroupMessage({ group: from, authorJid: author, msg: bytes(enc) })
        : await keys.signal.decryptMessage({
            jid: author,
            type: type === 'pkmsg' ? 'pkmsg' : 'msg',
            ciphertext: bytes(enc),
          })
    const message = wire.proto.Message.decode(wire.unpadRandomMax16(plain))
    const item = message.senderKeyDistributionMessage
    if (item) await keys.signal.processSenderKeyDistributionMessage({ item, authorJid: author })
    const isOnlyKey =
      item &&
      !message.conversation &&
      Object.keys(message.toJSON()).every(
        (key) => key === 'senderKeyDistributionMessage' || key === 'messageContextInfo',
      )
    if (!isOnlyKey) opened = message
  }
  return opened
}

function botAnswer({ wire, account, secretOf }: InboxParts, stanza: Stanza, enc: Stanza): Proto {
  const { id = '', from = '' } = stanza.attrs
  const question = child(stanza, 'meta')?.attrs['target_id'] ?? ''
  const first = child(stanza, 'bot')?.attrs['edit_target_id']
  const secret = secretOf(question)
  if (!secret) throw new Error(`no secret of ${question}`)
  const name = { id: first ?? id, asker: account.lid, bot: from }
  return wire.proto.Message.decode(openAnswer(wire, secret, name, bytes(enc)))
}

/** Sessions are kept by LID; a stanza that names a sender by phone number says both. */
async function learnAddresses({ keys, account }: InboxParts, attrs: Record<string, string>): Promise<void> {
  const author = attrs['participant'] ?? attrs['from'] ?? ''
  const other =
    attrs['sender_lid'] ?? attrs['sender_pn'] ?? attrs['participant_lid'] ?? attrs['participant_pn']
  const twin = other ?? (isOwn(account, author) ? account.lid : undefined)
  if (!twin) return
  const [lid, pn] = bare(author).endsWith('@lid') ? [author, twin] : [twin, author]
  await keys.signal.lidMapping.storeLIDPNMappings([{ lid: bare(lid), pn: bare(pn) }])
}

function confirm({ account, uplink }: InboxParts, { attrs }: Stanza): void {
  const { id, from = '', participant, recipient } = attrs
  const isMine = isOwn(account, participant ?? from)
  uplink.send(
    el('receipt', {
      id,
      to: from,
      participant,
      recipient,
      type: isMine ? 'sender' : undefined,
      t: seconds(),
    }),
  )
}

function askAgain({ keys, uplink }: InboxParts, { attrs }: Stanza): void {
  const { id, from = '', participant, t } = attrs
  const registration = Buffer.alloc(4)
  registration.writeUInt32BE(keys.creds.registrationId)
  uplink.send(
    el('receipt', { id, to: from, participant, type: 'retry', t: seconds() }, [
      el('retry', { count: 1, id, t, v: 1 }),
      el('registration', {}, registration),
    ]),
  )
  uplink.send(el('ack', { class: 'message', id, to: from, participant, error: UNREADABLE }))
}

export function isOwn(account: Account, jid: string): boolean {
  const user = parseJid(jid)?.user
  return user === account.phone || user === parseJid(account.lid)?.user
}

/** The stanza's child that says what was asked again: number of the attempt. */
export function retryOf(receipt: Stanza): string {
  return child(receipt, 'retry')?.attrs['count'] ?? '1'
}
