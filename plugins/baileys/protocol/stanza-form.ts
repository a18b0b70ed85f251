import type { BinaryNode } from '@whiskeysockets/baileys'
import type { proto } from '../baileys.ts'

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
  if (inner.eventMessage) return { type: 'event', mediaType }
  const isPoll = POLLS.some((field) => inner[field]) || inner.pollUpdateMessage
  return { type: isPoll ? 'poll' : 'text', mediaType }
}

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
 * Relays a message so that its ciphertexts name the kind of media. Baileys looks for it in the outermost message only, and has none for
 * a link with a preview (Socket/messages-send.js getMediaType); WhatsApp drops a message of the type `media` without it. While the
 * message is relayed, it inherits the field that Baileys looks for. Inherited fields are not encoded.
 */
export async function naming<T>(message: proto.IMessage, relay: () => Promise<T>): Promise<T> {
  const field = fieldToInherit(message)
  if (!field) return relay()
  const own: object | null = Object.getPrototypeOf(message)
  // Relayed twice at once, to all and to a device that asked for it.
  if (marked.has(own ?? {})) return relay()
  const inherited = Object.create(own, { [field.name]: { value: field.value } })
  marked.add(inherited)
  Object.setPrototypeOf(message, inherited)
  try {
    return await relay()
  } finally {
    Object.setPrototypeOf(message, own)
  }
}

const marked = new WeakSet<object>()

function fieldToInherit(message: proto.IMessage): { name: Field; value: unknown } | undefined {
  const inner = unwrapped(message)
  // The kind of an invitation is that of a link.
  if (isLink(inner)) return { name: 'groupInviteMessage', value: {} }
  if (inner === message) return undefined
  const names: readonly Field[] = ['videoMessage', 'audioMessage', ...MEDIA_TYPES.map(([name]) => name)]
  const name = names.find((one) => inner[one])
  return name && { name, value: inner[name] }
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
