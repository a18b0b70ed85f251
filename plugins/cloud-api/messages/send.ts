import { createHash, randomBytes } from 'node:crypto'
import type { SendContent } from 'wamux/messaging'
import { type GatewayServices, gatewayError, type LiveSession, type Reply, type Viewer } from 'wamux/plugin'
import { SessionSchema } from '../config.ts'
import { phoneOf } from '../graph/number-id.ts'
import type { Facts, SentFacts } from '../store/sent-facts.ts'
import type { Templates } from '../templates/templates.ts'
import type { MessageGiven } from './body.ts'
import type { CloudFiles } from './files.ts'
import { build } from './message.ts'

export interface SendDeps
  extends Pick<GatewayServices, 'markRead' | 'sender' | 'targets' | 'sessionSettings'> {
  files: CloudFiles
  sentFacts: SentFacts
  templates: Templates
}

interface Request {
  readonly session: LiveSession
  readonly viewer: Viewer
  readonly body: MessageGiven
  header(name: string): string
  readonly traceparent: string | undefined
}

/** The path under which plugin hooks see these messages. */
export const PATH = '/cloud-api/messages'

/** Sends the message of a request, or marks one as read; resolves with the answer in Graph's form. */
export async function sendGraph(request: Request, deps: SendDeps): Promise<Record<string, unknown>> {
  const { session, viewer, body, traceparent } = request
  if (body.status) {
    if (!body.message_id) throw gatewayError('FIELD_MISSING', ['message_id'])
    return markAsRead(request, body.message_id, deps)
  }
  const { sender, targets, files, sentFacts, templates, sessionSettings } = deps
  const to = body.to ?? body.recipient
  if (!to) throw gatewayError('FIELD_MISSING', ['to'])
  const chat = await targets.resolveChat(session, to, 'to')
  const mode = sessionSettings.of(session.id, 'cloud-api', SessionSchema).interactive
  const id = idOf(session.id, request.header('Idempotency-Key'))
  const { content, nodes, facts } = await build(body, { session, viewer, chat, mode, files, templates })
  const callback = body.biz_opaque_callback_data
  const kept: Facts = { ...facts, ...(callback ? { callback } : {}) }
  const make = async (): Promise<SendContent> => {
    const made = await content()
    if (Object.keys(kept).length > 0) await sentFacts.keep(session.id, id, { ...kept, chat })
    return made
  }
  const context = body.context ? { ContextInfo: { StanzaId: body.context.message_id } } : {}
  const sending = {
    session,
    viewer,
    traceparent,
    body: { Phone: to, Id: id, ...context, Message: body },
    // The id is derived from the key above.
    header: (name: string) => (name === 'Idempotency-Key' ? '' : request.header(name)),
  }
  const sent = await sender.send(PATH, sending, make, { chat, ...(nodes ? { nodes } : {}) })
  const { Id, Chat, isStored } = factsOf(sent)
  return {
    messaging_product: 'whatsapp',
    contacts: [{ input: to, wa_id: phoneOf(Chat ?? chat) || phoneOf(chat) || to }],
    messages: [{ id: Id, ...(isStored ? { message_status: 'accepted' } : {}) }],
  }
}

/** The message may be in any chat that the caller sees, since Graph names no chat. */
async function markAsRead(
  { session, viewer, body }: Request,
  id: string,
  { markRead }: SendDeps,
): Promise<Record<string, unknown>> {
  const { read } = await markRead({ session, viewer }, { ids: [id] })
  if (body.typing_indicator) await session.socket.sendPresence('composing', read[0]?.chat)
  return { success: true }
}

/** In the format of Baileys' own ids. */
function idOf(session: string, key: string): string {
  if (!key) return `3EB0${randomBytes(9).toString('hex').toUpperCase()}`
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw gatewayError('FIELD_INVALID', ['Idempotency-Key', 'must be 1 to 255 visible ASCII characters'])
  return `3EB0${createHash('sha256').update(`cloud ${session} ${key}`).digest('hex').slice(0, 18).toUpperCase()}`
}

interface SentFields {
  readonly Id: string
  readonly Chat?: string
}

/** A replay and `Prefer: respond-async` return the gateway's envelope. */
function factsOf(sent: SentFields | Reply): SentFields & { isStored: boolean } {
  if (!('$type' in sent)) return { ...sent, isStored: false }
  const { data } = JSON.parse(String(sent.body)) as { data: SentFields }
  return { ...data, isStored: sent.status === 202 }
}
