import type { proto, WAMessage } from '@whiskeysockets/baileys'
import { Jid } from 'wamux/messaging'
import type { GatewaySignals } from 'wamux/plugin'

/** The `edit` attribute of an edited newsletter post, which has the id of the post. */
export const POST_EDIT = '3'

export interface Info {
  Chat: string
  Sender: string
  SenderAlt: string
  RecipientAlt: string
  IsFromMe: boolean
  IsGroup: boolean
  AddressingMode: string
  ID: string
  Type: string
  MediaType: string
  PushName: string
  Timestamp: string
  Category: string
  Edit: string
  Multicast: boolean
  ServerID: number
  BroadcastListOwner: string
  VerifiedName: null
  DeviceSentMeta: null
  /** Without @; absent if the stanza names none. */
  SenderUsername?: string
  RecipientUsername?: string
}

/**
 * Sender, chat, time and kind of a message.
 *
 * @param inner its content without wrappers.
 * @param edit how it changes another message.
 */
export function infoOf(
  message: WAMessage,
  inner: proto.IMessage,
  attrs: Record<string, string>,
  me: string,
  edit = attrs['edit'] ?? '',
): Info {
  const { key } = message
  const chat = key.remoteJid ?? ''
  const isGroup = Jid.isGroup(chat)
  const fromMe = key.fromMe === true
  const { type, media } = kindOf(inner)
  return {
    Chat: chat,
    Sender: fromMe ? me : Jid.bare(key.participant ?? chat),
    // For broadcasts, Baileys puts the sender's other form next to the chat.
    SenderAlt: fromMe ? '' : Jid.bare(key.participantAlt || key.remoteJidAlt),
    RecipientAlt: fromMe && !isGroup ? Jid.bare(key.remoteJidAlt) : '',
    IsFromMe: fromMe,
    IsGroup: isGroup,
    AddressingMode: key.addressingMode ?? (Jid.isLid(chat) ? 'lid' : 'pn'),
    ID: key.id ?? '',
    Type: type,
    MediaType: media,
    PushName: message.pushName ?? '',
    Timestamp: new Date(Number(message.messageTimestamp ?? 0) * 1000).toISOString(),
    Category: attrs['category'] ?? '',
    Edit: edit,
    Multicast: false,
    ServerID: Number(attrs['server_id'] ?? 0),
    BroadcastListOwner: '',
    VerifiedName: null,
    DeviceSentMeta: null,
    ...usernamesOf(key),
  }
}

/** Group messages name the author's username, 1:1 messages the other side's. */
function usernamesOf({
  fromMe,
  participantUsername,
  remoteJidUsername,
}: WAMessage['key']): Pick<Info, 'SenderUsername' | 'RecipientUsername'> {
  const sender = fromMe ? undefined : participantUsername || remoteJidUsername
  const recipient = fromMe ? remoteJidUsername : undefined
  return {
    ...(sender ? { SenderUsername: sender } : {}),
    ...(recipient ? { RecipientUsername: recipient } : {}),
  }
}

/**
 * The LIDs of chat and author, if known: copies of a message may name them by phone number or by LID, and must be one event
 * in one lane.
 */
export function identityOf({ Chat, Sender, SenderAlt, RecipientAlt, IsFromMe, IsGroup }: Info): {
  chat: string
  author: string
} {
  const author = IsFromMe ? 'me' : preferLid(Sender, SenderAlt)
  if (IsGroup) return { chat: Chat, author }
  return { chat: preferLid(Chat, IsFromMe ? RecipientAlt : SenderAlt), author }
}

/** For broadcasts the other form belongs to the author, not the chat. */
export function preferLid(jid: string, alt: string): string {
  return Jid.isPhone(jid) && Jid.isLid(alt) ? alt : jid
}

/**
 * How a message changes another one, in the values of the `edit` attribute: 1 edits, 2 pins, 3 edits a post, 7 revokes, 8 revokes
 * another member's message as an admin of the group. The attribute itself is only a claim of the sender, except for posts.
 *
 * @param right absent for own sends.
 */
export function editOf(
  { key }: Pick<WAMessage, 'key'>,
  { protocolMessage, pinInChatMessage }: proto.IMessage,
  attrs: Readonly<Record<string, string>>,
  right?: GatewaySignals['message']['right'],
): string {
  if (right === 'none') return ''
  if (Jid.isNewsletter(key.remoteJid) && attrs['edit']) return attrs['edit']
  if (pinInChatMessage) return '2'
  if (protocolMessage?.editedMessage) return '1'
  if (!protocolMessage?.key || protocolMessage.type) return ''
  const isOfAdmin = right ? right === 'admin' : protocolMessage.key.fromMe === false
  return isOfAdmin ? '8' : '7'
}

export interface Flags {
  IsEphemeral: boolean
  IsViewOnce: boolean
  IsViewOnceV2: boolean
  IsDocumentWithCaption: boolean
  IsEdit: boolean
}

/** Whether `Edit` of an Info says that the message has the new content of another one. */
export function isEdit({ Edit }: Pick<Info, 'Edit'>): boolean {
  return Edit === '1' || Edit === POST_EDIT
}

/** Removes the wrappers of a message and reports them. Whether it is an edit is not told by its wrapper alone (`isEdit`). */
export function flagsOf(content: proto.IMessage): { inner: proto.IMessage; flags: Flags } {
  const flags = {
    IsEphemeral: false,
    IsViewOnce: false,
    IsViewOnceV2: false,
    IsDocumentWithCaption: false,
    IsEdit: false,
  }
  let inner = content
  const wrappers = [
    ['ephemeralMessage', 'IsEphemeral'],
    ['viewOnceMessage', 'IsViewOnce'],
    ['viewOnceMessageV2', 'IsViewOnceV2'],
    ['viewOnceMessageV2Extension', 'IsViewOnceV2'],
    ['documentWithCaptionMessage', 'IsDocumentWithCaption'],
    ['editedMessage', undefined],
  ] as const
  // A wrapper may contain another; no client nests four.
  for (let depth = 0; depth < 4; depth += 1) {
    const found = wrappers.find(([name]) => inner[name]?.message)
    if (!found) break
    const [name, flag] = found
    if (flag) flags[flag] = true
    inner = inner[name]?.message ?? inner
    if (flag === 'IsViewOnceV2') flags.IsViewOnce = true
  }
  // Without an envelope, as WhatsApp has it now.
  const { imageMessage, videoMessage, audioMessage } = inner
  if ([imageMessage, videoMessage, audioMessage].some((file) => file?.viewOnce)) flags.IsViewOnce = true
  return { inner, flags }
}

const MEDIA = {
  imageMessage: 'image',
  videoMessage: 'video',
  ptvMessage: 'ptv',
  documentMessage: 'document',
  stickerMessage: 'sticker',
  locationMessage: 'location',
  liveLocationMessage: 'livelocation',
  contactMessage: 'vcard',
  contactsArrayMessage: 'contact_array',
} as const

const POLLS = [
  'pollCreationMessage',
  'pollCreationMessageV2',
  'pollCreationMessageV3',
  'pollCreationMessageV4',
  'pollCreationMessageV5',
  'pollCreationMessageV6',
  'pollUpdateMessage',
] as const

function kindOf(inner: proto.IMessage): { type: string; media: string } {
  if (inner.reactionMessage || inner.encReactionMessage) return { type: 'reaction', media: '' }
  const isPoll = POLLS.some((name) => (inner as Record<string, unknown>)[name])
  if (isPoll) return { type: 'poll', media: '' }
  if (inner.audioMessage) return { type: 'media', media: inner.audioMessage.ptt ? 'ptt' : 'audio' }
  const found = Object.entries(MEDIA).find(([name]) => inner[name as keyof typeof MEDIA])
  return found ? { type: 'media', media: found[1] } : { type: 'text', media: '' }
}
