import type { proto } from '@whiskeysockets/baileys'
import { QUIZ } from 'wamux/messaging'
import type { ContentKind, NormalMessage } from '../normal-message.ts'

/** The content in plain fields. */
export interface Described
  extends Partial<
    Pick<NormalMessage, 'reaction' | 'poll' | 'selection' | 'location' | 'contacts' | 'targetId'>
  > {
  type: ContentKind
  text?: string | null | undefined
  context?: proto.IContextInfo | null | undefined
  media?: Media
}

interface Media {
  mimetype?: string | null
  fileName?: string | null
  fileLength?: unknown
  seconds?: number | null
  width?: number | null
  height?: number | null
}

/** Adds a field that Baileys' protobuf lacks. */
type Content = proto.IMessage & { pollCreationMessageV6?: proto.Message.IPollCreationMessage | null }

type Readers = { [K in keyof Content]?: (part: NonNullable<Content[K]>) => Described }

const file =
  (type: ContentKind) =>
  (part: Media & { caption?: string | null; contextInfo?: proto.IContextInfo | null }): Described => ({
    type,
    text: part.caption,
    context: part.contextInfo,
    media: part,
  })

const poll = ({
  name,
  options,
  selectableOptionsCount,
  contextInfo,
  pollType,
  correctAnswer,
}: proto.Message.IPollCreationMessage): Described => ({
  type: 'poll',
  text: name,
  context: contextInfo,
  poll: {
    question: name ?? '',
    options: (options ?? []).map(({ optionName }) => optionName ?? ''),
    maxSelections: selectableOptionsCount ?? 0,
    ...(pollType === QUIZ && correctAnswer?.optionName ? { correctAnswer: correctAnswer.optionName } : {}),
  },
})

const targetOf = (key: proto.IMessageKey | null | undefined) => (key?.id ? { targetId: key.id } : {})

const READERS: Readers = {
  conversation: (text) => ({ type: 'text', text }),
  extendedTextMessage: ({ text, contextInfo }) => ({ type: 'text', text, context: contextInfo }),
  imageMessage: file('image'),
  videoMessage: file('video'),
  ptvMessage: file('videoNote'),
  audioMessage: (part) => file(part.ptt ? 'voice' : 'audio')(part),
  documentMessage: file('document'),
  stickerMessage: file('sticker'),
  locationMessage: (part) => ({
    type: 'location',
    text: part.comment,
    context: part.contextInfo,
    location: placeOf(part),
  }),
  liveLocationMessage: (part) => ({
    type: 'liveLocation',
    text: part.caption,
    context: part.contextInfo,
    location: { ...placeOf(part), live: livePositionOf(part) },
  }),
  contactMessage: (part) => ({ type: 'contact', context: part.contextInfo, contacts: [contactOf(part)] }),
  contactsArrayMessage: ({ contacts, contextInfo }) => ({
    type: 'contact',
    context: contextInfo,
    contacts: (contacts ?? []).map(contactOf),
  }),
  pollCreationMessage: poll,
  pollCreationMessageV2: poll,
  pollCreationMessageV3: poll,
  pollCreationMessageV5: poll,
  pollCreationMessageV6: poll,
  commentMessage: ({ message, targetMessageKey }) => ({
    ...(message ? describe(message) : {}),
    type: 'comment',
    ...targetOf(targetMessageKey),
  }),
  encEventResponseMessage: ({ eventCreationMessageKey }) => ({
    type: 'eventResponse',
    ...targetOf(eventCreationMessageKey),
  }),
  pollUpdateMessage: ({ pollCreationMessageKey }) => ({ type: 'vote', ...targetOf(pollCreationMessageKey) }),
  reactionMessage: ({ key, text }) => ({
    type: 'reaction',
    reaction: { emoji: text ?? '' },
    ...targetOf(key),
  }),
  encReactionMessage: ({ targetMessageKey }) => ({ type: 'reaction', ...targetOf(targetMessageKey) }),
  pinInChatMessage: ({ key }) => ({ type: 'pin', ...targetOf(key) }),
  protocolMessage({ key, type, editedMessage }) {
    if (editedMessage) return { ...describe(editedMessage), type: 'edit', ...targetOf(key) }
    return key && !type ? { type: 'revoke', ...targetOf(key) } : { type: 'system' }
  },
  buttonsResponseMessage: ({ selectedButtonId, selectedDisplayText, contextInfo }) =>
    selection(selectedButtonId, selectedDisplayText, contextInfo),
  templateButtonReplyMessage: ({ selectedId, selectedDisplayText, contextInfo }) =>
    selection(selectedId, selectedDisplayText, contextInfo),
  listResponseMessage: ({ singleSelectReply, title, contextInfo }) =>
    selection(singleSelectReply?.selectedRowId, title, contextInfo),
  interactiveResponseMessage: ({ nativeFlowResponseMessage, body, contextInfo }) =>
    selection(nativeFlowResponseMessage?.name, body?.text, contextInfo),
  buttonsMessage: ({ contentText, contextInfo }) => interactive(contentText, contextInfo),
  listMessage: ({ description, title, contextInfo }) => interactive(description || title, contextInfo),
  interactiveMessage: ({ body, contextInfo }) => interactive(body?.text, contextInfo),
  templateMessage: ({ hydratedTemplate, interactiveMessageTemplate, contextInfo }) =>
    interactive(hydratedTemplate?.hydratedContentText ?? interactiveMessageTemplate?.body?.text, contextInfo),
  eventMessage: ({ name, contextInfo }) => ({ type: 'event', text: name, context: contextInfo }),
  groupInviteMessage: ({ caption, contextInfo }) => ({ type: 'invite', text: caption, context: contextInfo }),
  newsletterAdminInviteMessage: ({ caption, contextInfo }) => ({
    type: 'invite',
    text: caption,
    context: contextInfo,
  }),
  productMessage: ({ product, body, contextInfo }) => ({
    type: 'product',
    text: body || product?.title,
    context: contextInfo,
  }),
  orderMessage: ({ message, contextInfo }) => ({ type: 'order', text: message, context: contextInfo }),
  albumMessage: ({ contextInfo }) => ({ type: 'album', context: contextInfo }),
}

/** A wrapper may contain another; no client nests more. */
const MAX_DEPTH = 4

/** Describes a content, looking through wrappers. */
export function describe(content: Content, depth = 0): Described {
  for (const name of Object.keys(content) as (keyof Content)[]) {
    const described = read(content, name)
    if (described) return described
  }
  const inner = depth < MAX_DEPTH && Object.values(content).find(isWrapper)
  return inner ? describe(inner.message, depth + 1) : { type: 'other' }
}

function read<K extends keyof Content>(content: Content, name: K): Described | undefined {
  const part = content[name]
  return part === null || part === undefined ? undefined : READERS[name]?.(part)
}

function isWrapper(part: unknown): part is { message: proto.IMessage } {
  return (
    typeof part === 'object' &&
    part !== null &&
    'message' in part &&
    typeof part.message === 'object' &&
    !!part.message
  )
}

function selection(
  id: string | null | undefined,
  text: string | null | undefined,
  context: Described['context'],
): Described {
  return { type: 'selection', text, context, selection: { id: id ?? '', text: text ?? '' } }
}

function interactive(text: string | null | undefined, context: Described['context']): Described {
  return { type: 'interactive', text, context }
}

function placeOf(part: proto.Message.ILocationMessage): NonNullable<NormalMessage['location']> {
  return {
    latitude: part.degreesLatitude ?? 0,
    longitude: part.degreesLongitude ?? 0,
    name: part.name ?? '',
    address: part.address ?? '',
  }
}

function livePositionOf(part: proto.Message.ILiveLocationMessage) {
  const facts = {
    accuracy: part.accuracyInMeters,
    speed: part.speedInMps,
    heading: part.degreesClockwiseFromMagneticNorth,
    sequence: part.sequenceNumber,
    age: part.timeOffset,
  }
  const known = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(known.map(([name, value]) => [name, Number(value)]))
}

function contactOf({ displayName, vcard }: proto.Message.IContactMessage): {
  name: string
  phones: string[]
} {
  const phones = (vcard ?? '').split(/[\r\n]+/).map((line) => {
    const [, fields, number = ''] = /^(?:item\d+\.)?TEL([^:]*):(.*)$/is.exec(line) ?? []
    return /waid=(\d+)/i.exec(fields ?? '')?.[1] ?? number.replace(/\D/g, '')
  })
  return { name: displayName ?? '', phones: phones.filter(Boolean) }
}
