import type { AnyMessageContent } from '@whiskeysockets/baileys'
import { gatewayError, isGatewayError } from 'wamux/plugin'
import {
  generateWAMessage,
  generateWAMessageFromContent,
  isJidGroup,
  isJidNewsletter,
  proto,
} from '../baileys.ts'
import type { Built } from '../protocol/built.ts'
import { isPerson } from '../protocol/chat-timer.ts'
import { POST_EDIT } from '../protocol/newsletter-posts.ts'
import { refusalOf } from '../protocol/refusal.ts'
import { extrasOf } from '../protocol/stanza-form.ts'
import type { Content, SendOptions } from '../sdk.ts'
import { hasFile, noUpload, onlyFields, type PreparedUpload, type Uploads } from './upload.ts'

type BuildOptions = SendOptions & { id: string }

/** The sender and the upload of its media. */
export interface Builder {
  readonly userJid: string
  readonly uploads: Pick<Uploads, 'prepare'>
}

/** What Baileys' content has no field for, or another form. */
interface Shown {
  viewOnce?: boolean
  /** Background of a voice status. */
  backgroundArgb?: number
}

/** Turns content into a message; media are uploaded here, before anything is committed. */
export async function build(
  { userJid, uploads }: Builder,
  chat: string,
  content: Content,
  options: BuildOptions,
): Promise<Built> {
  const { viewOnce = false, backgroundArgb, ...shown } = content as Content & Shown
  if (viewOnce && !isPerson(chat) && !isJidGroup(chat))
    throw gatewayError('FIELD_INVALID', ['ViewOnce', 'only in chats with people and groups'])
  const prepared = hasFile(shown) ? await uploads.prepare(chat, shown) : undefined
  const made = await generate(userJid, chat, shown as Content, options, prepared)
  const message = viewOnce ? onceViewed(made) : made
  // Baileys takes it only as text, and together with those of texts (Utils/messages.js assertColor).
  if (backgroundArgb !== undefined && message.audioMessage)
    message.audioMessage.backgroundArgb = backgroundArgb
  const mediaId = prepared?.handle
  const own = extrasOf(message)
  return {
    id: options.id,
    chat,
    message,
    relay: {
      messageId: options.id,
      additionalAttributes: {
        ...own.attributes,
        ...(mediaId ? { media_id: mediaId } : {}),
        ...options.attributes,
      },
      additionalNodes: [...own.nodes, ...(options.nodes ?? [])],
      ...(options.audience ? { statusJidList: options.audience } : {}),
    },
  }
}

/**
 * The message as its stanza carries it. The edit of a newsletter post is sent under the id of that post with only the new
 * content, or without content to revoke it (whatsapp-rust pull 725); unpatched Baileys sends the form used in chats
 * (Socket/messages-send.js sendMessage).
 */
export function onWire(built: Built): Built {
  const { key, editedMessage, type } = built.message.protocolMessage ?? {}
  const isRevoke = type === proto.Message.ProtocolMessage.Type.REVOKE
  if (!isJidNewsletter(built.chat) || !key?.id || !(editedMessage || isRevoke)) return built
  const edit = isRevoke ? POST_EDIT.revoked : POST_EDIT.changed
  const additionalAttributes = { ...built.relay.additionalAttributes, edit }
  const relay = { ...built.relay, messageId: key.id, additionalAttributes }
  return { ...built, id: key.id, message: editedMessage ?? {}, relay }
}

async function generate(
  userJid: string,
  chat: string,
  content: Content,
  options: BuildOptions,
  prepared: PreparedUpload | undefined,
): Promise<proto.IMessage> {
  const { quoted, id } = options
  const given = quoted ? { quoted } : {}
  if ('proto' in content) {
    const built = generateWAMessageFromContent(chat, content.proto, { userJid, messageId: id, ...given })
    return built.message ?? {}
  }
  try {
    const built = await generateWAMessage(chat, prepared?.content ?? content, {
      userJid,
      messageId: id,
      upload: noUpload,
      ...(prepared ? { mediaCache: prepared.mediaCache } : {}),
      // A link in a text must not make the gateway fetch it (Utils/link-preview.js has no SSRF guard).
      getUrlInfo: async () => undefined,
      ...given,
    })
    const message = prepared ? onlyFields(built.message ?? {}) : (built.message ?? {})
    return keepContext(message, content)
  } catch (error) {
    throw isGatewayError(error) ? error : refusalOf(error, 'send')
  }
}

/**
 * Baileys puts the context into the first key of a message (Utils/messages.js), which in a poll is messageContextInfo:
 * mentions and replies would be lost. Here it goes into the poll.
 */
function keepContext(message: proto.IMessage, content: AnyMessageContent): proto.IMessage {
  const context = (content as { contextInfo?: proto.IContextInfo }).contextInfo
  const poll = message.pollCreationMessage ?? message.pollCreationMessageV2 ?? message.pollCreationMessageV3
  if (context && poll) poll.contextInfo = { ...poll.contextInfo, ...context }
  return message
}

/** As WhatsApp has it now (zapo src/message/encode/content.ts); Baileys still has an envelope for it (Utils/messages.js). */
function onceViewed(message: proto.IMessage): proto.IMessage {
  for (const file of [message.imageMessage, message.videoMessage, message.audioMessage])
    if (file) file.viewOnce = true
  return message
}
