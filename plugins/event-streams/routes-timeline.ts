import { type GatewayServices, gatewayError, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import type { Timeline } from './timeline.ts'
import { EventView, toView } from './view.ts'

type Deps = Kernel<unknown> & {
  timeline: Timeline
  attachments?: GatewayServices['attachments'] | undefined
}

const Step = T.Object(
  {
    Step: T.String({
      description:
        'accepted (stored to be sent), written (handed to the connection), acked (by the network), failed, unknown (no answer in time: it may have been sent); received (decrypted and stored), undecryptable; logged (as an event); delivered, read, played (receipts)',
    }),
    At: T.String({ description: 'RFC 3339' }),
    Clock: T.String({ description: 'Source of the time: gateway, or network, which has whole seconds' }),
    By: T.Optional(T.String({ description: 'For a receipt: the JID of the recipient' })),
    Details: T.Optional(T.String({ description: 'Why it failed or is unknown' })),
    EventId: T.Optional(T.String({ description: 'The event under which it was logged' })),
    Seq: T.Optional(T.Integer()),
  },
  { title: 'TimelineStep' },
)
const Delivery = T.Object(
  {
    Endpoint: T.String({ description: '`main` for the webhook of POST /webhook' }),
    URL: T.String(),
    State: T.String({ description: 'pending, done or dead' }),
    NextAt: T.String({ description: 'Time of the next attempt; empty for as soon as possible or never' }),
    Attempts: T.Array(
      T.Object({
        Attempt: T.Integer(),
        At: T.String(),
        Milliseconds: T.Integer(),
        Accepted: T.Boolean(),
        Status: T.String(),
        Answer: T.String(),
      }),
    ),
  },
  { title: 'TimelineDelivery' },
)

/** The timeline of one message. */
export const timelineRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/message/timeline', {
    summary: 'Read the timeline of a message: sent, received, delivered, with times',
    access: 'token',
    isFiltered: true,
    description:
      'Only stored steps: for a sent message from its acceptance to the receipts of its recipients, for a received one from its arrival to its delivery to the webhooks of the session. It goes back as far as the event log. In a group it has the receipts of at most 500 recipients.',
    example: { Id: '3EB0F4A1C2D3E4F5A6B7C8' },
    errors: ['MESSAGE_UNKNOWN'],
    body: T.Object({ Id: T.String({ minLength: 1, maxLength: 200, description: 'Id of the message' }) }),
    response: T.Object({
      Id: T.String(),
      Chat: T.String(),
      IsFromMe: T.Boolean(),
      Steps: T.Array(Step, { description: 'In order of time' }),
      Deliveries: T.Array(Delivery, {
        description: "To the session's webhooks; empty for a key limited to certain chats",
      }),
      Event: T.Optional(EventView),
      IsTruncated: T.Boolean({ description: 'There are more receipts than shown' }),
    }),
    async handle({ body: { Id }, session, viewer }, { timeline, attachments }) {
      const found = await timeline.of(session, Id, viewer)
      if (!found) throw gatewayError('MESSAGE_UNKNOWN')
      const { event, chat, isFromMe, steps, deliveries, isTruncated } = found
      return {
        Id,
        Chat: chat,
        IsFromMe: isFromMe,
        Steps: steps,
        Deliveries: deliveries,
        ...(event ? { Event: toView(session, event, attachments) } : {}),
        IsTruncated: isTruncated,
      }
    },
  }),
]
