import { LENGTHS, Recipient, Sent } from 'wamux/messaging'
import { type GatewayServices, gatewayError, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { forwardOf } from './forward.ts'
import { requestOf, Target } from './target.ts'

export const forwardRoutes = <D extends Kernel<unknown> & Pick<GatewayServices, 'sender' | 'targets'>>(
  r: RouteBuilder<D>,
) => [
  r.post('/message/forward', {
    summary: 'Forward a message to another chat',
    description:
      'A text, file, location, contact or invitation of the last 14 days, as it was first sent. A file is not uploaded again: its key and its place on the media host are passed on, so it cannot be opened longer than the original. The recipient sees that it was forwarded, from the fifth time on "many times"; a message that you wrote yourself is not marked. The answer has the id of the new message.',
    example: { Phone: '5511988888888', Id: '3A1B2C3D4E5F60718293', FromChat: '5511999999999' },
    body: T.Object({
      Phone: Recipient,
      Id: Target,
      FromChat: T.Optional(
        T.String({
          maxLength: LENGTHS.id,
          minLength: 1,
          format: 'phone',
          leaves: 'nothing',
          description: 'Chat of the message; any chat when absent',
        }),
      ),
    }),
    errors: ['MESSAGE_UNKNOWN'],
    response: Sent,
    async handle({ body, session, viewer, header, traceparent }, { sender, targets }) {
      const to = await targets.resolveChat(session, body.Phone)
      const chat = body.FromChat && (await targets.resolveChat(session, body.FromChat, 'FromChat'))
      const request = { session, viewer, header, traceparent, body: requestOf(body) }
      const content = async () => {
        const message = await session.socket.message({ chat, id: body.Id }, viewer)
        if (!message) throw gatewayError('MESSAGE_UNKNOWN')
        return { proto: forwardOf(message, to) }
      }
      return sender.send('/message/forward', request, content, { chat: to })
    },
  }),
]
