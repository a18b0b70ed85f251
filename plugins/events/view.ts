import { type GatewayServices, type LogEvent, type Session, type Static, T } from 'wamux/plugin'

/** An event as webhooks receive it, with its seq. */
export const EventView = T.Object(
  {
    seq: T.Integer({ description: 'Position in the log; pass it as `after` to resume' }),
    type: T.String(),
    eventId: T.String(),
    instanceName: T.String(),
    userID: T.String(),
    jid: T.String(),
    timestamp: T.String(),
  },
  { additionalProperties: true, description: 'With `event`, `state` and the other fields of its type' },
)

type Attachments = GatewayServices['attachments'] | undefined

/** The file of a message is a link: a client that reads a thousand events fetches those that it wants. */
export function toView(session: Session, line: LogEvent, attachments: Attachments): Static<typeof EventView> {
  const { seq, type, id, time, body } = line
  return {
    seq,
    type,
    ...body,
    ...attachments?.link(line),
    eventId: id,
    instanceName: session.name,
    userID: session.id,
    jid: session.jid,
    timestamp: time,
  }
}
