import type { GatewayServices } from 'wamux/plugin'
import { bare } from '../../stanza.ts'
import type { Account } from '../../types.ts'
import { openAddition, type UseCase } from './additions.ts'
import type { Proto } from './compose.ts'
import type { Stored } from './store.ts'

type Wire = GatewayServices['wire']

/** The secret under which additions to a message are currently sealed: that of its newest edit, if any. */
export function secretOf(
  stored: readonly Stored[],
  { id, fromMe, from, raw }: Stored,
): Uint8Array | undefined {
  const edit = stored.findLast(
    (one) =>
      one.raw.protocolMessage?.key?.id === id &&
      one.raw.messageContextInfo?.messageSecret &&
      one.fromMe === fromMe &&
      (fromMe || bare(one.from) === bare(from)),
  )
  return (edit ?? { raw }).raw.messageContextInfo?.messageSecret ?? undefined
}

interface Opening {
  wire: Wire
  stored: readonly Stored[]
  accountOf(jid: string): Pick<Account, 'jid' | 'lid'> | undefined
}

interface Received {
  from: string
  message: Proto
}

interface Envelope {
  use: UseCase
  parent: string | null | undefined
  encPayload?: Uint8Array | null
  encIv?: Uint8Array | null
}

/** The content of a sealed addition in plain form; undefined for other messages, or if it can't be opened. */
export function openMessage(
  { wire, stored, accountOf }: Opening,
  { from, message }: Received,
): Proto | undefined {
  const envelope = envelopeOf(wire, message)
  const parent = stored.find(({ id }) => id === envelope?.parent)
  const by = accountOf(from)
  const author = parent && accountOf(parent.from)
  const secret = parent && secretOf(stored, parent)
  const { encPayload, encIv } = envelope ?? {}
  if (!envelope || !parent || !by || !author || !secret || !encPayload || !encIv) return undefined
  for (const form of ['lid', 'jid'] as const) {
    const addition = { use: envelope.use, parent: parent.id, author: author[form], by: by[form] }
    const plain = openAddition(secret, addition, { encPayload, encIv })
    if (plain) return plainForm(wire, envelope.use, message, plain)
  }
  return undefined
}

/** SecretEncType, missing in Baileys' protobuf. */
export const ADD_OPTION = 5

function envelopeOf(wire: Wire, message: Proto): Envelope | undefined {
  const { secretEncryptedMessage, encReactionMessage, encCommentMessage } = message
  if (encReactionMessage)
    return { ...encReactionMessage, use: 'Enc Reaction', parent: encReactionMessage.targetMessageKey?.id }
  if (encCommentMessage)
    return { ...encCommentMessage, use: 'Enc Comment', parent: encCommentMessage.targetMessageKey?.id }
  if (!secretEncryptedMessage) return undefined
  const parent = secretEncryptedMessage.targetMessageKey?.id
  const { EVENT_EDIT, MESSAGE_EDIT } = wire.proto.Message.SecretEncryptedMessage.SecretEncType
  const type: number = secretEncryptedMessage.secretEncType ?? 0
  // It has no plain form: its content is opened like that of a vote.
  if (type === ADD_OPTION) return undefined
  const use = type === MESSAGE_EDIT ? 'Message Edit' : type === EVENT_EDIT ? 'Event Edit' : 'Poll Edit'
  return { ...secretEncryptedMessage, use, parent }
}

function plainForm(wire: Wire, use: UseCase, outer: Proto, plain: Uint8Array): Proto {
  const { Message } = wire.proto
  if (use === 'Enc Reaction') {
    const { text, senderTimestampMs } = Message.ReactionMessage.decode(plain)
    const key = outer.encReactionMessage?.targetMessageKey
    return Message.fromObject({ reactionMessage: { key, text, senderTimestampMs } })
  }
  const opened = Message.decode(plain)
  // The secret for the next edit is within or beside the sealed content: WR#762 names the latter.
  if (use !== 'Enc Comment' && !opened.messageContextInfo?.messageSecret && outer.messageContextInfo)
    opened.messageContextInfo = outer.messageContextInfo
  if (use === 'Message Edit') return opened
  if (use === 'Enc Comment') {
    const targetMessageKey = outer.encCommentMessage?.targetMessageKey
    // The comment's own secret is in the outer message.
    const { messageContextInfo } = outer
    return Message.fromObject({ commentMessage: { message: opened, targetMessageKey }, messageContextInfo })
  }
  return editOf(wire, outer.secretEncryptedMessage?.targetMessageKey ?? {}, opened)
}

/** An edit of a message in plain form: the new content, with the secret that will seal the next edit. */
export function editOf(wire: Wire, key: object, content: Proto): Proto {
  const { messageContextInfo, ...editedMessage } = content
  const { MESSAGE_EDIT } = wire.proto.Message.ProtocolMessage.Type
  const protocolMessage = { key, type: MESSAGE_EDIT, editedMessage, timestampMs: Date.now() }
  return wire.proto.Message.fromObject({ protocolMessage, messageContextInfo })
}
