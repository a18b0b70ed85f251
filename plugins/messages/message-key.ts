import type { WAMessage, WAMessageKey } from '@whiskeysockets/baileys'
import { EDIT_WINDOW_SECONDS, Jid } from 'wamux/messaging'
import { gatewayError, type LiveSession, type Viewer } from 'wamux/plugin'

/** The caller that names the message. */
export interface Asking {
  readonly session: LiveSession
  readonly viewer: Viewer
}

interface MessageRef {
  chat: string
  id: string
  /** The author, as named by the caller. */
  author?: string | undefined
}

interface Lookup extends Pick<MessageRef, 'author'> {
  id: string | undefined
  chat: string | undefined
  isFromMe: boolean
}

/** The key of any message, in the form of other devices. */
export async function keyOf(
  { session, viewer }: Asking,
  { chat, id, isFromMe, author }: MessageRef & { isFromMe: boolean },
): Promise<WAMessageKey> {
  if (isFromMe) return { remoteJid: chat, id, fromMe: true }
  if (!Jid.isGroup(chat)) return { remoteJid: chat, id, fromMe: false }
  const participant = author ?? (await session.socket.message({ chat, id }, viewer))?.key.participant
  if (!participant) throw gatewayError('FIELD_MISSING', ['Participant'])
  return { remoteJid: chat, id, fromMe: false, participant }
}

/** The key of a message whose file is requested, as far as it is known. */
export async function messageOf(
  asking: Asking,
  { id, chat, ...rest }: Lookup,
): Promise<WAMessageKey | undefined> {
  if (!id) return undefined
  const stored = await asking.session.socket.message({ chat, id }, asking.viewer)
  if (stored) return stored.key
  return chat === undefined ? undefined : keyOf(asking, { chat, id, ...rest })
}

/** The key of a message to delete or edit: an own one, another member's in a group, or a newsletter post. */
export async function ownKeyOf(asking: Asking, ref: MessageRef): Promise<WAMessageKey> {
  const { session, viewer } = asking
  const { chat, id, author } = ref
  // The author of a post is its newsletter; only the network knows who may change it.
  if (Jid.isNewsletter(chat)) {
    // Its id becomes the stanza id, which the encoder would treat as a JID if it had an @.
    if (id.includes('@')) throw gatewayError('FIELD_INVALID', ['Id', 'must not contain an @'])
    return { remoteJid: chat, id, fromMe: true }
  }
  const stored = author ? undefined : await session.socket.message({ chat, id }, viewer)
  // The network accepts the deletion of a message that does not exist, and delivers it to the chat.
  if (!author && !stored) throw gatewayError('MESSAGE_UNKNOWN')
  const isFromMe = author ? author === session.jid || author === session.lid : stored?.key.fromMe === true
  if (!isFromMe && !Jid.isGroup(chat)) throw gatewayError('FIELD_INVALID', ['Id', 'is not your own message'])
  return keyOf(asking, { ...ref, isFromMe, author: author ?? stored?.key.participant ?? undefined })
}

/** AB prop: seconds for which a message may be edited. */
const EDIT_WINDOW = 2983

/** Throws FIELD_INVALID if the message is too old to be edited. */
export function requireRecent({ socket }: LiveSession, { messageTimestamp }: WAMessage): void {
  const seconds = socket.abProp(EDIT_WINDOW, EDIT_WINDOW_SECONDS)
  const written = Number(messageTimestamp)
  if (!written || Date.now() / 1000 < written + seconds) return
  const text = `is more than ${Math.round(seconds / 60)} minutes old; apps ignore an edit of it`
  throw gatewayError('FIELD_INVALID', ['Id', text])
}

/** The key of a message whose text will be edited. */
export async function editableKeyOf(asking: Asking, ref: MessageRef): Promise<WAMessageKey> {
  const key = await ownKeyOf(asking, ref)
  if (!key.fromMe) throw gatewayError('FIELD_INVALID', ['Id', 'only own messages can be edited'])
  return key
}
