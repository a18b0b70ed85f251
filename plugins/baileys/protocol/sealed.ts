import { normalizeMessageContent, proto } from '../baileys.ts'
import { readField } from '../patches/added-field.ts'
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

const ADDED_OPTION: UseCase = 'Poll Add Option'

/** Whether it adds an option to a poll, which members may do who are not its author. */
export function isAddedOption({ use }: Envelope): boolean {
  return use === ADDED_OPTION
}

/** Edits change the message that they name and must have the same author. */
export function isEdit({ use }: Envelope): boolean {
  return use === 'Message Edit' || use === 'Event Edit' || use === 'Poll Edit'
}

/** Without its content such a message is empty, and must not be taken for a new one. */
export function isNothingUnopened({ use, also }: Envelope): boolean {
  return use === 'Enc Comment' || use.endsWith('Edit') || also.length > 0
}

/** A poll, as far as it is known when something is added to it. */
interface KnownPoll {
  readonly question: string
  readonly options: readonly string[]
  readonly most?: number | undefined
}

/**
 * The content of an envelope in the form of an unsealed message; undefined if there is no such form.
 *
 * @param poll the poll to which it belongs, if it is one.
 */
export function plainForm(
  { use, target: key }: Envelope,
  plain: Uint8Array,
  poll: KnownPoll | undefined,
): proto.IMessage | undefined {
  const { Message } = proto
  if (use === 'Poll Vote' || use === 'Event Response') return undefined
  if (use === 'Enc Reaction') return { reactionMessage: { ...Message.ReactionMessage.decode(plain), key } }
  const content = Message.decode(plain)
  if (use === 'Message Edit') return content
  if (use === 'Enc Comment') return { commentMessage: { message: content, targetMessageKey: key } }
  const { messageContextInfo = null, ...edited } = content
  const editedMessage = use === ADDED_OPTION ? withOption(poll, optionIn(plain)) : edited
  const { MESSAGE_EDIT } = Message.ProtocolMessage.Type
  return editedMessage && { protocolMessage: { key, type: MESSAGE_EDIT, editedMessage }, messageContextInfo }
}

/** The poll with an option more. Its other fields are not known. */
function withOption(poll: KnownPoll | undefined, added: string): proto.IMessage | undefined {
  if (!poll || !added) return undefined
  const options = [...new Set([...poll.options, added])].map((optionName) => ({ optionName }))
  return {
    pollCreationMessage: { name: poll.question, options, selectableOptionsCount: poll.most ?? 0 },
  }
}

/** Fields that Baileys' protobuf lacks: `pollAddOptionMessage` of Message, and the option in it. */
const POLL_ADD_OPTION = 121
const OPTION = 2

function optionIn(plain: Uint8Array): string {
  const message = readField(plain, POLL_ADD_OPTION)
  const option = message && readField(message, OPTION)
  return option ? (proto.Message.PollCreationMessage.Option.decode(option).optionName ?? '') : ''
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
