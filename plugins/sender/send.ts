import type { AnyMessageContent, proto } from '@whiskeysockets/baileys'
import type { Annotations, MessageHookChain } from 'wamux/messaging'
import {
  gatewayError,
  isManual,
  type Kernel,
  type LiveSession,
  type Reply,
  type Socket,
  systemViewer,
} from 'wamux/plugin'
import { accepted, answerOf, plainAnswer, prefersAsync, type SentAnswer } from './answer.ts'
import { readContext } from './context.ts'
import { identify, idOf, type SendRequest } from './identity.ts'
import { resolveChat } from './target.ts'

type DriverSend = Parameters<Socket['send']>
type Content = Awaited<ReturnType<DriverSend[1]>>
type SendOptions = NonNullable<DriverSend[2]>

/** Options of a send that come from the route. */
export interface SendExtras<A = SentAnswer>
  extends Pick<SendOptions, 'nodes' | 'attributes' | 'audience' | 'field'> {
  /** The chat's JID, if the body has no Phone. */
  chat?: string
  /** The response of the route, if it differs from the usual one. */
  answer?(sent: SentAnswer): A
}

/** Sends messages for clients. */
export interface Sender {
  /**
   * Sends the message that `content` builds, with the context of the body. Resolves when the network has acknowledged it;
   * with `Prefer: respond-async`, when it is stored. An id from the client or its `Idempotency-Key` is never sent twice; a
   * different request with the same id is refused (ID_REUSED). A chat that the viewer does not see is refused
   * (CHAT_FORBIDDEN).
   *
   * @param path the route, part of the identity of a request.
   * @param content for a complete message (`{ proto }`) the context is added to the first part that supports one.
   */
  send<A = SentAnswer>(
    path: string,
    request: SendRequest,
    content: () => Promise<Content> | Content,
    extras?: SendExtras<A>,
  ): Promise<A | Reply>
  /**
   * The first step of `send`: the chat, and the request's id, if any. Rejects like `send` for an invalid chat or context.
   * For a plugin that sends a request later.
   */
  prepare(
    path: string,
    request: SendRequest,
    extras?: Pick<SendExtras, 'chat' | 'audience'>,
  ): Promise<{ chat: string; id?: string; fingerprint?: string }>
  /**
   * Sends a message without a client, for example from a consumer or a job. With an `id`, for example of the event that it
   * answers, it is sent once, even if the work is repeated after a crash. Resolves when the network has acknowledged it;
   * rejects NOT_LOGGED_IN if the session has no link now, and like `send`. A final refusal is repeated without another
   * attempt until an operator has the work tried again.
   *
   * @param path names the sender, for example the plugin; part of the message's identity.
   */
  message(path: string, session: string, message: OwnMessage): Promise<SentAnswer>
}

/** A message that a plugin sends without a client. */
export interface OwnMessage extends Pick<SendExtras, 'nodes' | 'attributes'> {
  /** Like `Phone`: a number, a JID or `@username`. */
  readonly to: string
  readonly content: Content | (() => Promise<Content> | Content)
  /** Any text that identifies the message within `path`; the message id is derived from it. */
  readonly id?: string
  /** `body.ContextInfo` of the send routes: quoted message and mentions. */
  readonly context?: NonNullable<SendRequest['body']['ContextInfo']>
}

type Deps = Pick<Kernel<unknown>, 'sessions'> & { messageHookChain: MessageHookChain }

export function createSender(deps: Deps): Sender {
  const { sessions } = deps
  return {
    send: (path, request, content, extras) => send(deps, path, request, content, extras),
    async prepare(path, request, { chat: given, audience } = {}) {
      const { session, body } = request
      const identity = identify(path, request)
      const chat = given ?? (await resolveChat(session, body.Phone ?? ''))
      await assertSeen(request, audience ?? [chat])
      await readContext(request, chat)
      return { chat, ...identity }
    },
    async message(path, id, { to, content, context, id: messageId, ...extras }) {
      const session = await sessions.byId(id)
      if (!session) throw gatewayError('SESSION_UNKNOWN')
      if (session.state !== 'open' || !session.socket)
        throw gatewayError('NOT_LOGGED_IN', [], { details: session.reason })
      const body = {
        Phone: to,
        ...(messageId ? { Id: idOf(id, `${path} ${messageId}`) } : {}),
        ...(context ? { ContextInfo: context } : {}),
      }
      const request = { session: session as LiveSession, viewer: systemViewer(id), body, header: () => '' }
      const make = typeof content === 'function' ? content : () => content
      const { sent } = await begin(deps, path, request, make, extras)
      return plainAnswer(await sent)
    },
  }
}

async function send<A = SentAnswer>(
  deps: Deps,
  path: string,
  request: SendRequest,
  content: () => Promise<Content> | Content,
  { answer, ...extras }: SendExtras<A> = {},
): Promise<A | Reply> {
  const { SendAt, TimeZone } = request.body
  if (TimeZone && !SendAt) throw gatewayError('FIELD_MISSING', ['SendAt'])
  // If that plugin is enabled, such a request does not arrive here.
  if (SendAt)
    throw gatewayError('FIELD_INVALID', ['SendAt', 'needs the plugin "schedule", which is not enabled'])
  const sending = await begin(deps, path, request, content, extras)
  if (prefersAsync(request) && !sending.isEnded) return accepted(sending.id, sending.isReplay)
  return answerOf(await sending.sent, sending.isReplay, answer)
}

/** Resolves when the message is stored. */
async function begin(
  { messageHookChain: hooks }: Deps,
  path: string,
  request: SendRequest,
  content: () => Promise<Content> | Content,
  { chat: given, ...options }: Omit<SendExtras, 'answer'>,
): ReturnType<Socket['send']> {
  const { session, body } = request
  const identity = identify(path, request)
  const chat = given ?? (await resolveChat(session, body.Phone ?? ''))
  await assertSeen(request, options.audience ?? [chat])
  const { contextInfo, quoted } = await readContext(request, chat)
  let annotations: Annotations | undefined
  // Called once per id, before its row is stored.
  const make = async (): Promise<Content> => {
    const made = await hooks.beforeSend({ session: session.id, chat, path, content: await content() })
    annotations = made.annotations
    return withContext(made.content, contextInfo)
  }
  return session.socket.send(chat, make, {
    ...options,
    annotations: () => annotations,
    isAgain: isManual(),
    ...identity,
    ...(body.ContextInfo?.QuotedMessage ? { field: 'ContextInfo.QuotedMessage' } : {}),
    ...(quoted ? { quoted } : {}),
    ...(request.traceparent ? { traceparent: request.traceparent } : {}),
  })
}

/** Applies to every send, whether or not the route's schema names the chat. */
async function assertSeen({ session, viewer }: SendRequest, jids: readonly string[]): Promise<void> {
  for (const jid of jids)
    if (!(await viewer.seesChat(session.id, jid))) throw gatewayError('CHAT_FORBIDDEN', [jid])
}

/** Fields of a message with its content; polls have several versions. */
const CONTENT = /Message(V\d)?$/

function withContext(content: Content, contextInfo: proto.IContextInfo | undefined): Content {
  if (!contextInfo) return content
  if (!('proto' in content)) return { ...content, contextInfo } as AnyMessageContent
  const parts = Object.entries(content.proto).map(([name, part]) =>
    CONTENT.test(name) && typeof part === 'object' && part !== null
      ? [name, { ...part, contextInfo: { ...part.contextInfo, ...contextInfo } }]
      : [name, part],
  )
  return { proto: Object.fromEntries(parts) as proto.IMessage }
}
