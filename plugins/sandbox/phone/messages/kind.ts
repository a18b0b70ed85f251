import { unwrap } from '../display/content.ts'
import type { Proto } from './compose.ts'

/** The kind of a message of the type `media`, as its ciphertexts name it (WR wacore/src/send/classify.rs); undefined for others. */
export function mediaTypeOf(message: Proto): string | undefined {
  const inner = unwrap(message)
  if (inner.videoMessage) return inner.videoMessage.gifPlayback ? 'gif' : 'video'
  if (inner.audioMessage) return inner.audioMessage.ptt ? 'ptt' : 'audio'
  if (inner.locationMessage) return inner.locationMessage.isLive ? 'livelocation' : 'location'
  if (inner.extendedTextMessage?.matchedText?.trim()) return 'url'
  return KINDS.find(([field]) => inner[field])?.[1]
}

const KINDS = [
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
  ['messageHistoryBundle', 'group_history'],
] as const

/** Whether a message may be opened once only, by a field of its file (zapo src/message/encode/content.ts), or by an envelope of it. */
export function isViewOnce(message: Proto): boolean {
  const inner = unwrap(message)
  const files = [inner.imageMessage, inner.videoMessage, inner.audioMessage]
  return files.some((file) => file?.viewOnce) || hasEnvelope(message)
}

const ENVELOPES = ['viewOnceMessage', 'viewOnceMessageV2', 'viewOnceMessageV2Extension'] as const

function hasEnvelope(message: Proto): boolean {
  const inner = message.ephemeralMessage?.message
  return ENVELOPES.some((field) => message[field]) || (inner ? hasEnvelope(inner as Proto) : false)
}
