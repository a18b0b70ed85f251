import { randomBytes } from 'node:crypto'
import type { proto, WAMessage } from '@whiskeysockets/baileys'
import { Jid, LENGTHS, Recipient, Sent } from 'wamux/messaging'
import {
  type GatewayServices,
  gatewayError,
  type Kernel,
  type LiveSession,
  type RouteBuilder,
  T,
  type Viewer,
} from 'wamux/plugin'
import { answerTo, cancellationOf, type Response, voteOn } from './additions.ts'
import { voteInNewsletter } from './newsletter-vote.ts'
import { requestOf, Target } from './target.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'sender' | 'targets' | 'wire'>
type Found = NonNullable<Awaited<ReturnType<LiveSession['socket']['additionTarget']>>>

interface Request {
  readonly session: LiveSession
  readonly viewer: Viewer
  readonly traceparent?: string | undefined
  readonly body: { Phone: string; Id: string }
  header(name: string): string
}

const RESPONSES = ['going', 'notGoing', 'maybe'] as const satisfies readonly Response[]

/** Votes, and answers to events: sealed under the secret of the message that they belong to; votes in newsletters are plain. */
export const additionRoutes = <D extends Deps>(r: RouteBuilder<D>) => {
  /** Sends an addition to a message of the chat. */
  async function add(
    { sender, targets }: Pick<Deps, 'sender' | 'targets'>,
    path: string,
    { body, session, viewer, header, traceparent }: Request,
    make: (target: Found, message: WAMessage | undefined) => proto.IMessage,
  ) {
    const chat = await targets.resolveChat(session, body.Phone)
    const request = { session, viewer, header, traceparent, body: requestOf(body) }
    const content = async () => {
      const ref = { chat, id: body.Id }
      const [target, message] = [
        await session.socket.additionTarget(ref),
        await session.socket.message(ref, viewer),
      ]
      if (!target) throw gatewayError('MESSAGE_UNKNOWN')
      return { proto: make(target, message) }
    }
    return sender.send(path, request, content, { chat })
  }

  async function vote(deps: Deps, request: Request & { body: { Options: string[] } }) {
    const { session, viewer, body } = request
    const { Options: options } = body
    const path = '/message/vote'
    const chat = await deps.targets.resolveChat(session, body.Phone)
    if (!Jid.isNewsletter(chat))
      return add(deps, path, request, (target, message) => voteOn(deps.wire, target, options, message))
    // It is no message: it is not stored, and has no event.
    const { id } = await deps.sender.prepare(path, { ...request, body: requestOf(body) }, { chat })
    const message = await session.socket.message({ chat, id: body.Id }, viewer)
    if (!message) throw gatewayError('MESSAGE_UNKNOWN')
    return voteInNewsletter(session, message, { id, options })
  }

  return [
    r.post('/message/vote', {
      summary: 'Vote in a poll',
      description:
        'Replaces an earlier vote of the account; an empty list withdraws it. Polls of the last 90 days, own ones too. The answer has the id of the vote; `GET /polls/{id}` counts. In a newsletter a vote needs the poll in the event log, is counted by WhatsApp alone, and can be replaced but not withdrawn.',
      example: { Phone: '5511999999999', Id: '3A1B2C3D4E5F60718298', Options: ['Rye'] },
      body: T.Object({
        Phone: Recipient,
        Id: Target,
        Options: T.Array(T.String({ minLength: 1, maxLength: LENGTHS.line }), {
          maxItems: 100,
          uniqueItems: true,
          description: 'Names of the chosen options',
        }),
      }),
      errors: ['MESSAGE_UNKNOWN'],
      response: Sent,
      handle: (request, deps) => vote(deps, request),
    }),
    r.post('/message/event/respond', {
      summary: 'Answer an event',
      description: 'Replaces an earlier answer of the account. The answer has the id of the response.',
      example: { Phone: '5511999999999', Id: '3A1B2C3D4E5F60718299', Response: 'going' },
      body: T.Object({
        Phone: Recipient,
        Id: Target,
        Response: T.Enum(RESPONSES, { description: 'Whether you come' }),
        Guests: T.Optional(
          T.Integer({
            minimum: 0,
            maximum: 1000,
            description: 'Guests that come along, if the event allows them',
          }),
        ),
      }),
      errors: ['MESSAGE_UNKNOWN'],
      response: Sent,
      handle: (request, deps) => {
        const answer = { response: request.body.Response, guests: request.body.Guests ?? 0 }
        return add(deps, '/message/event/respond', request, (target, message) =>
          answerTo(deps.wire, target, answer, message),
        )
      },
    }),
    r.post('/message/event/cancel', {
      isDestructive: true,
      summary: 'Cancel an own event',
      description: 'The chat shows it as cancelled. Events of the last 14 days.',
      example: { Phone: '5511999999999', Id: '3EB0F4A1C2D3E4F5A6B7C9' },
      body: T.Object({ Phone: Recipient, Id: Target }),
      errors: ['MESSAGE_UNKNOWN'],
      response: Sent,
      handle: (request, deps) =>
        add(deps, '/message/event/cancel', request, (target, message) =>
          cancellationOf(deps.wire, target, message, randomBytes(32)),
        ),
    }),
  ]
}
