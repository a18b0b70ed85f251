import type { BinaryNode } from '@whiskeysockets/baileys'
import { isJidGroup, proto } from '../baileys.ts'

/** What the network is told of a message that it can't read, as WhatsApp Web does (whatsapp-rust wacore/src/send/classify.rs). */
export interface StanzaForm {
  /** The `type` of the stanza. */
  readonly type: 'reaction' | 'media' | 'poll' | 'event' | 'text'
  /** The kind of media, as `mediatype` beside the content; undefined for other messages. */
  readonly mediaType: string | undefined
}

type Field = keyof proto.IMessage

const WRAPPERS = [
  'ephemeralMessage',
  'viewOnceMessage',
  'viewOnceMessageV2',
  'viewOnceMessageV2Extension',
  'documentWithCaptionMessage',
  'pollCreationMessageV4',
] as const
const ENVELOPES: readonly Field[] = ['viewOnceMessage', 'viewOnceMessageV2', 'viewOnceMessageV2Extension']
const POLLS = ['pollCreationMessage', 'pollCreationMessageV2', 'pollCreationMessageV3'] as const
const MEDIA_TYPES = [
  ['imageMessage', 'image'],
  ['ptvMessage', 'ptv'],
  ['documentMessage', 'document'],
  ['stickerMessage', 'sticker'],
  ['liveLocationMessage', 'livelocation'],
  ['contactMessage', 'vcard'],
  ['contactsArrayMessage', 'contact_array'],
  ['groupInviteMessage', 'url'],
  ['listMessage', 'list'],
  ['listResponseMessage', 'list_response'],
  ['buttonsResponseMessage', 'buttons_response'],
  ['orderMessage', 'order'],
  ['productMessage', 'product'],
  ['interactiveResponseMessage', 'native_flow_response'],
] as const

export function formOf(message: proto.IMessage): StanzaForm {
  const inner = unwrapped(message)
  const mediaType = mediaTypeOf(inner)
  if (inner.reactionMessage) return { type: 'reaction', mediaType }
  if (mediaType) return { type: 'media', mediaType }
  if (inner.eventMessage || inner.encEventResponseMessage || isEventEdit(inner))
    return { type: 'event', mediaType }
  const isPoll = POLLS.some((field) => inner[field]) || inner.pollUpdateMessage
  return { type: isPoll ? 'poll' : 'text', mediaType }
}

/** What the stanza says of a message that changes another one, or belongs to it. */
export interface StanzaExtras {
  readonly attributes: Record<string, string>
  readonly nodes: BinaryNode[]
}

/** `edit` (1 edits, 2 pins, 7 and 8 take back) and `meta`; by the content, since Baileys adds them to some kinds only. */
export function extrasOf(message: proto.IMessage): StanzaExtras {
  const inner = unwrapped(message)
  const [edit, meta] = [editOf(inner), metaOf(inner)]
  return { attributes: edit ? { edit } : {}, nodes: meta ? [{ tag: 'meta', attrs: meta }] : [] }
}

function editOf(inner: proto.IMessage): string | undefined {
  const { protocolMessage, keepInChatMessage, pinInChatMessage } = inner
  if (protocolMessage?.editedMessage || isEventEdit(inner)) return '1'
  if (pinInChatMessage) return '2'
  if (protocolMessage?.key && protocolMessage.type === REVOKE) {
    const { remoteJid, fromMe } = protocolMessage.key
    return isJidGroup(remoteJid ?? '') && !fromMe ? '8' : '7'
  }
  const isOwn = keepInChatMessage?.key?.fromMe === true
  return isOwn && keepInChatMessage.keepType === UNDO_KEEP_FOR_ALL ? '7' : undefined
}

function metaOf(inner: proto.IMessage): Record<string, string> | undefined {
  const poll = POLLS.map((field) => inner[field]).find(Boolean)
  if (poll) return { polltype: poll.pollType === QUIZ ? 'quiz_creation' : 'creation' }
  if (inner.pollUpdateMessage) return { polltype: 'vote' }
  if (inner.eventMessage) return { event_type: 'creation' }
  if (inner.encEventResponseMessage) return { event_type: 'response' }
  return isEventEdit(inner) ? { event_type: 'edit' } : undefined
}

function isEventEdit({ secretEncryptedMessage }: proto.IMessage): boolean {
  return secretEncryptedMessage?.secretEncType === EVENT_EDIT
}

const { REVOKE } = proto.Message.ProtocolMessage.Type
const { UNDO_KEEP_FOR_ALL } = proto.KeepType
const { EVENT_EDIT } = proto.Message.SecretEncryptedMessage.SecretEncType
const { QUIZ } = proto.Message.PollType

/**
 * The extra nodes of a message with what the network must know of its content: one that is viewed once (whatsapp-rust pull 743), which
 * companions are then not sent. All of that is in one `meta` node.
 */
export function withForm(nodes: readonly BinaryNode[], message: proto.IMessage): BinaryNode[] {
  if (!isViewOnce(message)) return [...nodes]
  const others = nodes.filter(({ tag }) => tag !== 'meta')
  const attrs = Object.assign({}, ...nodes.filter((node) => !others.includes(node)).map((node) => node.attrs))
  return [...others, { tag: 'meta', attrs: { ...attrs, view_once: 'true' } }]
}

/** By a field of the file, as WhatsApp has it now, or by an envelope (whatsapp-rust wacore/src/proto_helpers.rs is_view_once). */
export function isViewOnce(message: proto.IMessage): boolean {
  const { imageMessage, videoMessage, audioMessage } = unwrapped(message)
  if ([imageMessage, videoMessage, audioMessage].some((file) => file?.viewOnce)) return true
  const disappearing = message.ephemeralMessage?.message
  return ENVELOPES.some((field) => message[field]) || (disappearing ? isViewOnce(disappearing) : false)
}

/**
 * Relays a message so that its ciphertexts name the kind of media, and phones that cannot open it show nothing in its place if it has no
 * bubble of its own. Baileys looks for both in the outermost message only, has none for a link with a preview or a video note, and hides
 * reactions and pins alone (Socket/messages-send.js getMediaType); WhatsApp drops a message of the type `media` without its kind. While
 * the message is relayed, it inherits the fields that Baileys looks for. Inherited fields are not encoded.
 */
export async function naming<T>(message: proto.IMessage, relay: () => Promise<T>): Promise<T> {
  const fields = fieldsToInherit(message)
  if (Object.keys(fields).length === 0) return relay()
  const own: object | null = Object.getPrototypeOf(message)
  // Relayed twice at once, to all and to a device that asked for it.
  if (marked.has(own ?? {})) return relay()
  const inherited = Object.create(own, fields)
  marked.add(inherited)
  Object.setPrototypeOf(message, inherited)
  try {
    return await relay()
  } finally {
    Object.setPrototypeOf(message, own)
  }
}

const marked = new WeakSet<object>()

function fieldsToInherit(message: proto.IMessage): Partial<Record<Field, { value: unknown }>> {
  const inner = unwrapped(message)
  return {
    ...kindToInherit(message, inner),
    ...(isHidden(inner) ? { pinInChatMessage: { value: {} } } : {}),
  }
}

function kindToInherit(
  message: proto.IMessage,
  inner: proto.IMessage,
): Partial<Record<Field, { value: unknown }>> {
  // An invitation counts as a link.
  if (isLink(inner)) return { groupInviteMessage: { value: {} } }
  // Baileys has no kind for it: the one of the file, which apps read from the content.
  if (inner.ptvMessage) return { videoMessage: { value: inner.ptvMessage } }
  if (inner === message) return {}
  const names: readonly Field[] = ['videoMessage', 'audioMessage', ...MEDIA_TYPES.map(([name]) => name)]
  const name = names.find((one) => inner[one])
  return name ? { [name]: { value: inner[name] } } : {}
}

/** WhatsApp Web marks these `decrypt-fail="hide"`, besides reactions and pins (whatsapp-rust should_hide_decrypt_fail). */
function isHidden(inner: proto.IMessage): boolean {
  const { keepInChatMessage, encEventResponseMessage, pollUpdateMessage, protocolMessage } = inner
  return (
    Boolean(keepInChatMessage || encEventResponseMessage || pollUpdateMessage?.vote) ||
    Boolean(protocolMessage?.editedMessage) ||
    isEventEdit(inner)
  )
}

function mediaTypeOf(inner: proto.IMessage): string | undefined {
  if (inner.videoMessage) return inner.videoMessage.gifPlayback ? 'gif' : 'video'
  if (inner.audioMessage) return inner.audioMessage.ptt ? 'ptt' : 'audio'
  if (isLink(inner)) return 'url'
  return MEDIA_TYPES.find(([field]) => inner[field])?.[1]
}

/** A text with a link that is shown with a preview. */
function isLink({ extendedTextMessage }: proto.IMessage): boolean {
  return Boolean(extendedTextMessage?.matchedText?.trim())
}

function unwrapped(message: proto.IMessage): proto.IMessage {
  for (const wrapper of WRAPPERS) {
    const inner = message[wrapper]?.message
    if (inner) return unwrapped(inner)
  }
  return message
}
