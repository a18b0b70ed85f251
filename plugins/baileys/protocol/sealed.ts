import { normalizeMessageContent, proto } from '../baileys.ts'
import type { WithPollV6 } from '../patches/poll-v6.ts'
import type { SealedPart, UseCase } from './additions.ts'

/** An addition to another message, sealed under that message's secret. */
export interface Envelope extends SealedPart {
  readonly use: UseCase
  /** Other use cases with which some clients seal the same addition. */
  readonly also: readonly UseCase[]
  /** The key of the message to which it belongs. */
  readonly target: proto.IMessageKey
}

/** The content without its wrappers. */
export function innerOf(message: proto.IMessage): proto.IMessage {
  return normalizeMessageContent(message) ?? message
}

type Part = { encPayload?: Uint8Array | null; encIv?: Uint8Array | null } | null | undefined

/** SecretEncType; the last two are missing in Baileys' protobuf, which keeps their numbers. */
const EDITS: Readonly<Record<number, readonly UseCase[]>> = {
  1: ['Event Edit'],
  2: ['Message Edit'],
  4: ['Poll Edit'],
  // Clients disagree.
  5: ['Poll Add Option', 'Poll Edit'],
}

/** The part of a message that is sealed under another message's secret; undefined without one. */
export function envelopeOf(inner: proto.IMessage): Envelope | undefined {
  const { secretEncryptedMessage: edit, encReactionMessage, encCommentMessage } = inner
  const { encEventResponseMessage: answer, pollUpdateMessage } = inner
  if (edit) return toEnvelope(edit, edit.targetMessageKey, EDITS[edit.secretEncType ?? 0])
  if (encReactionMessage)
    return toEnvelope(encReactionMessage, encReactionMessage.targetMessageKey, ['Enc Reaction'])
  if (encCommentMessage)
    return toEnvelope(encCommentMessage, encCommentMessage.targetMessageKey, ['Enc Comment'])
  if (answer) return toEnvelope(answer, answer.eventCreationMessageKey, ['Event Response'])
  return toEnvelope(pollUpdateMessage?.vote, pollUpdateMessage?.pollCreationMessageKey, ['Poll Vote'])
}

function toEnvelope(
  part: Part,
  target: proto.IMessageKey | null | undefined,
  [use, ...also]: readonly UseCase[] = [],
): Envelope | undefined {
  const { encPayload, encIv } = part ?? {}
  return use && encPayload && encIv && target?.id ? { use, also, target, encPayload, encIv } : undefined
}

/** Edits change the message that they name and must have the same author. */
export function isEdit({ use }: Envelope): boolean {
  return use === 'Message Edit' || use === 'Event Edit' || use === 'Poll Edit'
}

/** Without its content such a message is empty, and must not be taken for a new one. */
export function isNothingUnopened({ use, also }: Envelope): boolean {
  return use === 'Enc Comment' || use.endsWith('Edit') || also.length > 0
}

/** The content of an envelope in the form of an unsealed message; undefined if there is no such form. */
export function plainForm({ use, target: key }: Envelope, plain: Uint8Array): proto.IMessage | undefined {
  const { Message } = proto
  if (use === 'Poll Vote' || use === 'Event Response') return undefined
  if (use === 'Enc Reaction') return { reactionMessage: { ...Message.ReactionMessage.decode(plain), key } }
  const content = Message.decode(plain)
  if (use === 'Message Edit') return content
  if (use === 'Enc Comment') return { commentMessage: { message: content, targetMessageKey: key } }
  const { messageContextInfo = null, ...editedMessage } = content
  const { MESSAGE_EDIT } = Message.ProtocolMessage.Type
  return { protocolMessage: { key, type: MESSAGE_EDIT, editedMessage }, messageContextInfo }
}

/** The message changed by a plain or opened edit, and its new content. */
export function editIn({
  protocolMessage,
}: proto.IMessage): { id: string; content: proto.IMessage } | undefined {
  const { key, editedMessage } = protocolMessage ?? {}
  return key?.id && editedMessage ? { id: key.id, content: innerOf(editedMessage) } : undefined
}

/** The poll that the content creates, in any version. */
export function pollIn(inner: proto.IMessage): proto.Message.IPollCreationMessage | undefined {
  const wrapped = inner.pollCreationMessageV4?.message
  if (wrapped) return pollIn(innerOf(wrapped))
  return (
    inner.pollCreationMessage ??
    inner.pollCreationMessageV2 ??
    inner.pollCreationMessageV3 ??
    inner.pollCreationMessageV5 ??
    (inner as WithPollV6).pollCreationMessageV6 ??
    undefined
  )
}

/** A forwarded message does not carry its author's secret. */
export function isForwarded(inner: proto.IMessage): boolean {
  return Object.values(inner).some(
    (part) => (part as { contextInfo?: proto.IContextInfo } | null)?.contextInfo?.isForwarded === true,
  )
}
