import type { AnyMessageContent, proto } from '@whiskeysockets/baileys'
import type { Reply } from 'wamux/plugin'
import { accepted, answerOf, prefersAsync, type SentAnswer } from './answer.ts'
import { readContext } from './context.ts'
import { identify, type SendRequest } from './identity.ts'
import { toChat } from './target.ts'

type Content = AnyMessageContent | { proto: proto.IMessage }

export interface SendExtras<A = SentAnswer> {
  /** The chat's JID, where the body has no Phone. */
  chat?: string
  /** Extra stanza children, such as `biz`. */
  nodes?: Stanza[]
  /** Extra stanza attributes. */
  attributes?: Record<string, string>
  /** Who receives a status@broadcast post. */
  audience?: string[]
  /** The field that makes the message large, for the error of one that is too large. */
  field?: string
  /** What the route answers, where it is not what sends answer. */
  answer?(sent: SentAnswer): A
}

interface Stanza {
  tag: string
  attrs: Record<string, string>
  content?: Stanza[] | Buffer
}

/** Sends in a client's name. */
export interface Sender {
  /**
   * Sends what `content` makes, with the context of the body, and answers once the network took it; with
   * `Prefer: respond-async`, once it is stored. A client's own id, or that of its `Idempotency-Key`, never goes out
   * twice; with another request behind it, it is refused (ID_REUSED).
   *
   * @param path the route, part of what makes two requests the same.
   * @param content for a finished message (`{ proto }`) the context goes into its first part that can hold one.
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
  const { chat = toChat(body.Phone ?? ''), answer, ...options } = extras
  const identity = identify(path, request)
  const { contextInfo, quoted } = await readContext(session, chat, body.ContextInfo, body.QuotedText)
  const make = async () => withContext(await content(), contextInfo)
  const sending = await session.socket.send(chat, make, {
    ...options,
    ...identity,
    ...(body.ContextInfo?.QuotedMessage ? { field: 'ContextInfo.QuotedMessage' } : {}),
    ...(quoted ? { quoted } : {}),
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
