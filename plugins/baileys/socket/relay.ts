import type { WASocket } from '@whiskeysockets/baileys'
import { areJidsSameUser, isHostedLidUser, isJidNewsletter, proto } from '../baileys.ts'
import { omitted } from '../patches/omitted.ts'
import type { Me } from '../protocol/signals.ts'
import { formOf, naming, withForm } from '../protocol/stanza-form.ts'

/** Encrypts a message and writes its stanza: the only way on which messages are sent, also again. */
export type Relay = WASocket['relayMessage']

/** Adds to each stanza what the network must know of the content: Baileys leaves it out (Socket/messages-send.js relayMessage). */
export function createRelay(wa: Pick<WASocket, 'relayMessage' | 'sendNode'>, me: () => Me): Relay {
  if (omitted.patches.has('stanza-forms')) return wa.relayMessage
  return async (jid, message, options) => {
    if (isJidNewsletter(jid)) return relayPost(wa, jid, message, options)
    const additionalNodes = withForm(options.additionalNodes ?? [], message)
    const additionalAttributes = { type: formOf(message).type, ...options.additionalAttributes }
    const stanza = { ...options, additionalAttributes, additionalNodes }
    const { participant } = options
    const isOwnHosted = isHostedLidUser(participant?.jid) && areJidsSameUser(participant?.jid, me().lid)
    return naming(message, () => wa.relayMessage(jid, isOwnHosted ? copyOf(message, jid) : message, stanza))
  }
}

/** The envelope for an own device. Baileys mistakes a hosted device by LID for another person's. */
function copyOf(message: proto.IMessage, destinationJid: string): proto.IMessage {
  const { messageContextInfo } = message
  return {
    deviceSentMessage: { destinationJid, message },
    ...(messageContextInfo ? { messageContextInfo } : {}),
  }
}

/**
 * Posts are not encrypted. The kind of media is beside the content; without it, followers do not see the preview of a link (zapo
 * 1.7.0). Baileys has no place for it.
 */
async function relayPost(
  { sendNode }: Pick<WASocket, 'sendNode'>,
  to: string,
  message: proto.IMessage,
  { messageId = '', additionalAttributes = {}, additionalNodes = [] }: Parameters<Relay>[2],
): Promise<string> {
  const { type, mediaType } = formOf(message)
  const plaintext = {
    tag: 'plaintext',
    attrs: mediaType ? { mediatype: mediaType } : {},
    content: proto.Message.encode(message).finish(),
  }
  const attrs = { to, id: messageId, type, ...additionalAttributes }
  await sendNode({ tag: 'message', attrs, content: [plaintext, ...additionalNodes] })
  return messageId
}

/** A message that is viewed once says so, a post with a preview names its kind, and an own hosted device gets a copy. */
export async function areFormsAdded(): Promise<boolean> {
  const seen: unknown[] = []
  let copies = 0
  const wa: Parameters<typeof createRelay>[0] = {
    relayMessage: async (_jid, message, { additionalNodes = [] }) => {
      if (message.deviceSentMessage) copies += 1
      // The field that Baileys reads is not encoded.
      else
        seen.push(
          additionalNodes[0]?.attrs,
          'groupInviteMessage' in message,
          proto.Message.encode(message).len,
        )
      return ''
    },
    sendNode: async ({ content }) => void seen.push(Array.isArray(content) && content[0]?.attrs),
  }
  const relay = createRelay(wa, () => ({ id: '3@s.whatsapp.net', lid: '4:1@lid' }))
  const link = (): proto.Message =>
    proto.Message.create({ extendedTextMessage: { matchedText: 'a.example' } })
  await relay('1@lid', proto.Message.create({ imageMessage: { viewOnce: true } }), {})
  await relay('1@lid', link(), {})
  await relay('1@newsletter', link(), {})
  await relay('1@lid', link(), { participant: { jid: '4:99@hosted.lid', count: 1 } })
  const size = proto.Message.encode(link()).len
  const [once, , , , isInherited, encoded, post] = seen
  const is = (attrs: unknown, name: string, value: string): boolean =>
    (attrs as Record<string, string> | undefined)?.[name] === value
  return (
    copies === 1 &&
    is(once, 'view_once', 'true') &&
    isInherited === true &&
    encoded === size &&
    is(post, 'mediatype', 'url')
  )
}
