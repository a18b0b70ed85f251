import type { AnyMessageContent, proto } from '@whiskeysockets/baileys'
import type { Reply, Socket } from 'wamux/plugin'
import { accepted, answerOf, prefersAsync, type SentAnswer } from './answer.ts'
import { readContext } from './context.ts'
import { identify, type SendRequest } from './identity.ts'
import { resolveChat } from './target.ts'

type DriverSend = Parameters<Socket['send']>
type Content = Awaited<ReturnType<DriverSend[1]>>
type SendOptions = NonNullable<DriverSend[2]>

/** What a route adds to a send, beside what the request says. */
export interface SendExtras<A = SentAnswer>
  extends Pick<SendOptions, 'nodes' | 'attributes' | 'audience' | 'field'> {
  /** The chat's JID, where the body has no Phone. */
  chat?: string
  /** The response of the route, where it differs from that of sends. */
  answer?(sent: SentAnswer): A
}

/** Sends messages for clients. */
export interface Sender {
  /**
   * Sends the message that `content` builds, with the context of the body. Resolves when the network has acknowledged
   * it; with `Prefer: respond-async`, when it is stored. A client's own id, or that of its `Idempotency-Key`, is never
   * sent twice; a different request with the same id is refused (ID_REUSED).
   *
   * @param path the route, part of the identity of a request.
   * @param content for a complete message (`{ proto }`) the context is added to its first part that can hold one.
   */
  send<A = SentAnswer>(
    path: string,
    request: SendRequest,
    content: () => Promise<Content> | Content,
    extras?: SendExtras<A>,
  ): Promise<A | Reply>
}

export async function send<A = SentAnswer>(
  path: string,
  request: SendRequest,
  content: () => Promise<Content> | Content,
  extras: SendExtras<A> = {},
): Promise<A | Reply> {
  const { session, body } = request
  const { chat: given, answer, ...options } = extras
  const identity = identify(path, request)
  const chat = given ?? (await resolveChat(session, body.Phone ?? ''))
  const { contextInfo, quoted } = await readContext(session, chat, body.ContextInfo, body.QuotedText)
  const make = async () => withContext(await content(), contextInfo)
  const sending = await session.socket.send(chat, make, {
    ...options,
    ...identity,
    ...(body.ContextInfo?.QuotedMessage ? { field: 'ContextInfo.QuotedMessage' } : {}),
    ...(quoted ? { quoted } : {}),
    ...(request.traceparent ? { traceparent: request.traceparent } : {}),
  })
  if (prefersAsync(request) && !sending.isReplay) return accepted(sending.id)
  return answerOf(await sending.sent, sending.isReplay, answer)
}

function withContext(content: Content, contextInfo: proto.IContextInfo | undefined): Content {
  if (!contextInfo) return content
  if (!('proto' in content)) return { ...content, contextInfo } as AnyMessageContent
  const parts = Object.entries(content.proto).map(([name, part]) =>
    name.endsWith('Message') && typeof part === 'object' && part !== null
      ? [name, { ...part, contextInfo: { ...part.contextInfo, ...contextInfo } }]
      : [name, part],
  )
  return { proto: Object.fromEntries(parts) as proto.IMessage }
}
