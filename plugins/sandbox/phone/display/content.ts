import type { Proto } from '../messages/compose.ts'
import { fileOf } from '../messages/fetch-media.ts'

/** The content of a chat bubble. */
export interface ShownContent {
  /** `text`, `image`, `video`, `video note`, `gif`, `voice`, `audio`, `document`, `sticker`, or the message's field, e.g. `pollCreationMessageV3`. */
  kind: string
  text: string
  /** `chat`: the other chat that it says the quoted message is of; apps take any for another one. */
  quoted?: { id: string; text: string; chat?: string }
  media?: { mimetype: string; size: number }
  /** How often it was forwarded, as its mark says. */
  forwarded?: 'once' | 'many times'
  /** Id of the message that announces its album. */
  album?: string
}

type Inner = { message?: Proto | null } | null | undefined

const WRAPPERS = [
  'viewOnceMessage',
  'viewOnceMessageV2',
  'viewOnceMessageV2Extension',
  'ephemeralMessage',
  'documentWithCaptionMessage',
  'editedMessage',
  'pollCreationMessageV4',
  'commentMessage',
] as const

/** Fields without a bubble: they are no messages, or change another message. */
const SILENT = new Set([
  'messageContextInfo',
  'senderKeyDistributionMessage',
  'protocolMessage',
  'reactionMessage',
  'encReactionMessage',
  'pollUpdateMessage',
  'encCommentMessage',
  'encEventResponseMessage',
  'secretEncryptedMessage',
  'keepInChatMessage',
  'pinInChatMessage',
  'deviceSentMessage',
  'messageHistoryBundle',
  'messageHistoryNotice',
])

/** The message without its envelopes. */
export function unwrap(message: Proto): Proto {
  for (const field of WRAPPERS) {
    const inner = (message[field] as Inner)?.message
    if (inner) return unwrap(inner as Proto)
  }
  return message
}

/** The content of a bubble; undefined if the message has none. */
export function contentOf(message: Proto): ShownContent | undefined {
  const inner = unwrap(message)
  const field = contentField(inner)
  if (!field) return undefined
  const quoted = quotedBy(inner)
  const { mimetype, fileLength } = fileOf(inner)?.part ?? {}
  return {
    kind: kindOf(inner, field),
    text: textOf(inner),
    ...(quoted ? { quoted } : {}),
    ...(mimetype ? { media: { mimetype, size: Number(fileLength ?? 0) } } : {}),
    ...forwardedIn(inner, field),
    ...albumOf(message),
  }
}

/** Whether a message has its own bubble. */
export function hasContent(message: Proto): boolean {
  return contentField(unwrap(message)) !== undefined
}

/** The content field of an unwrapped message. Decoded messages have own properties only for fields that are set. */
export function contentField(message: Proto): string | undefined {
  return Object.entries(message).find(([name, value]) => value != null && !SILENT.has(name))?.[0]
}

/** The poll of an unwrapped message. */
export function pollIn(message: Proto) {
  return (
    message.pollCreationMessage ??
    message.pollCreationMessageV2 ??
    message.pollCreationMessageV3 ??
    message.pollCreationMessageV5
  )
}

/** PollType of the protobuf. */
const QUIZ = 1

export function isQuiz(poll: ReturnType<typeof pollIn>): boolean {
  return poll?.pollType === QUIZ
}

export function textOf(message: Proto): string {
  const poll = pollIn(message)
  // The apps show which answer is right after the vote; here it is marked at once.
  const right = isQuiz(poll) ? poll?.correctAnswer?.optionName : undefined
  const options = (poll?.options ?? []).map(
    ({ optionName }) => `${optionName === right ? '✓' : '○'} ${optionName}`,
  )
  const {
    locationMessage: place,
    liveLocationMessage: live,
    interactiveMessage,
    buttonsMessage,
    listMessage,
  } = message
  const parts = [
    message.conversation,
    message.extendedTextMessage?.text,
    message.imageMessage?.caption,
    message.videoMessage?.caption,
    message.documentMessage?.caption ?? message.documentMessage?.fileName,
    poll ? [poll.name, ...options].join('\n') : '',
    place
      ? [place.name, `${place.degreesLatitude}, ${place.degreesLongitude}`].filter(Boolean).join('\n')
      : '',
    live
      ? [live.caption, `${live.degreesLatitude}, ${live.degreesLongitude}`].filter(Boolean).join('\n')
      : '',
    message.contactMessage?.displayName,
    message.contactsArrayMessage?.displayName,
    message.eventMessage?.name,
    buttonsMessage?.contentText,
    listMessage?.description ?? listMessage?.title,
    interactiveMessage?.body?.text,
  ]
  return parts.find(Boolean) ?? ''
}

/** Apps group the files that name the same parent. */
function albumOf({ messageContextInfo }: Proto): Pick<ShownContent, 'album'> {
  const { parentMessageKey } = messageContextInfo?.messageAssociation ?? {}
  return parentMessageKey?.id ? { album: parentMessageKey.id } : {}
}

/** From the fifth time on. */
const MANY = 5

function forwardedIn(message: Proto, field: string): Pick<ShownContent, 'forwarded'> {
  const { contextInfo } = (message[field as keyof Proto] ?? {}) as {
    contextInfo?: { isForwarded?: boolean | null; forwardingScore?: number | null } | null
  }
  if (!contextInfo?.isForwarded) return {}
  return { forwarded: (contextInfo.forwardingScore ?? 0) >= MANY ? 'many times' : 'once' }
}

function kindOf(message: Proto, field: string): string {
  if (message.ptvMessage) return 'video note'
  if (message.videoMessage?.gifPlayback) return 'gif'
  if (message.audioMessage) return message.audioMessage.ptt ? 'voice' : 'audio'
  if (message.conversation || message.extendedTextMessage) return 'text'
  return fileOf(message)?.kind ?? field
}

function quotedBy(message: Proto): ShownContent['quoted'] {
  const context =
    message.extendedTextMessage?.contextInfo ??
    message.imageMessage?.contextInfo ??
    message.videoMessage?.contextInfo ??
    message.audioMessage?.contextInfo ??
    message.documentMessage?.contextInfo
  if (!context?.stanzaId) return undefined
  const text = context.quotedMessage ? textOf(context.quotedMessage as Proto) : ''
  return { id: context.stanzaId, text, ...(context.remoteJid ? { chat: context.remoteJid } : {}) }
}
