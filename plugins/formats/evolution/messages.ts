import { fromFamilyCasing, unixSeconds } from 'wamux/messaging'
import type { GatewayEvents, GatewayServices } from 'wamux/plugin'
import { contentOf, isHidden, type MessageBody, targetOf } from '../content.ts'
import type { About, Named } from '../dialect.ts'
import { phoneJidOf } from '../people.ts'
import { keyOf, makeKey, sourceOf, targetKeyOf } from './keys.ts'

type Attachments = Pick<GatewayServices['attachments'], 'attach'>
type Fields = Record<string, unknown>

const STATUS = { delivered: 'DELIVERY_ACK', read: 'READ', played: 'PLAYED' } as const

export async function messagesOf(
  body: MessageBody,
  about: About,
  attachments: Attachments,
): Promise<Named[]> {
  const { message } = body
  const { session, jid } = about
  if (isHidden(message)) return []
  const sent = message.isFromGateway === true
  if (message.type === 'revoke') {
    const key = targetKeyOf(message, targetOf(body, session), session, jid)
    return [{ event: 'messages.delete', data: key }]
  }
  if (message.type === 'edit') {
    const { protocolMessage } = fromFamilyCasing(contentOf(body))
    const key = targetKeyOf(message, targetOf(body, session), session, jid)
    const data = { ...(protocolMessage as Fields), key }
    return [{ event: sent ? 'send.message.update' : 'messages.edited', data }]
  }
  const data = await dataOf(body, about, attachments)
  return [{ event: sent ? 'send.message' : 'messages.upsert', data }]
}

async function dataOf(body: MessageBody, about: About, attachments: Attachments): Promise<Fields> {
  const { message } = body
  const { content, context, type } = contentIn(body, about)
  const { base64, mediaUrl } = await attachments.attach(about.line)
  return {
    key: keyOf(message),
    pushName: message.from.name || message.from.phone,
    status: message.isFromMe ? 'SERVER_ACK' : 'DELIVERY_ACK',
    message: { ...content, ...(base64 ? { base64 } : {}), ...(mediaUrl ? { mediaUrl } : {}) },
    contextInfo: context,
    messageType: type,
    messageTimestamp: unixSeconds(message.time),
    instanceId: about.session.id,
    source: sourceOf(message.id),
  }
}

/** The content with the names of Baileys' protobuf; a text is always `conversation`, and a reaction's key from this side. */
function contentIn(body: MessageBody, { session, jid }: About) {
  const { extendedTextMessage, ...rest } = fromFamilyCasing(contentOf(body)) as Record<string, Fields>
  const content: Record<string, unknown> = extendedTextMessage
    ? { conversation: extendedTextMessage['text'], ...rest }
    : rest
  const { message } = body
  const key = targetKeyOf(message, targetOf(body, session), session, jid)
  const { reactionMessage, pollUpdateMessage } = rest
  if (reactionMessage) content['reactionMessage'] = { ...reactionMessage, key }
  if (pollUpdateMessage)
    content['pollUpdateMessage'] = {
      ...pollUpdateMessage,
      pollCreationMessageKey: key,
      vote: { selectedOptions: message.vote?.options ?? [] },
    }
  const type = Object.keys(content).find((name) => !ACCOMPANYING.has(name)) ?? 'unknown'
  const part = extendedTextMessage ?? rest[type]
  return { content, type, context: (typeof part === 'object' && part['contextInfo']) || null }
}

/** Parts of a message next to its content. */
const ACCOMPANYING: ReadonlySet<string> = new Set([
  'messageContextInfo',
  'senderKeyDistributionMessage',
  'secretEncryptedMessage',
])

/** A receipt names several messages; there is an event for each. */
export function receiptsOf({ receipt }: GatewayEvents['ReadReceipt'], { session }: About): Named[] {
  const { ids, chat, from, isFromMe, status } = receipt
  return ids.map((keyId) => ({
    event: 'messages.update',
    data: {
      keyId,
      remoteJid: phoneJidOf(chat),
      fromMe: !isFromMe,
      ...(chat.isGroup ? { participant: phoneJidOf(from) } : {}),
      status: STATUS[status],
      instanceId: session.id,
    },
  }))
}

export function failedOf({ event }: GatewayEvents['SendFailed'], { session }: About): Named[] {
  // With an unknown outcome WhatsApp may have the message.
  if (event['Outcome'] === 'unknown') return []
  const { remoteJid } = makeKey(
    { jid: String(event['Chat']), phone: '', lid: '' },
    { id: String(event['Id']), fromMe: true, author: undefined },
  )
  const data = {
    keyId: String(event['Id']),
    remoteJid,
    fromMe: true,
    status: 'ERROR',
    instanceId: session.id,
  }
  return [{ event: 'messages.update', data }]
}
