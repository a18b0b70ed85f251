import { type GatewayServices, type LogEvent, type Session, type Static, T } from 'wamux/plugin'

/** An event as webhooks receive it, with its seq. */
export const EventView = T.Object(
  {
    seq: T.Integer({ description: 'Position in the log; pass it as `after` to resume' }),
    type: T.String(),
    eventId: T.String(),
    instanceName: T.String(),
    labels: T.Optional(
      T.Record(T.String(), T.String(), { description: 'Labels of the session; absent without any' }),
    ),
    userID: T.String(),
    jid: T.String(),
    timestamp: T.String(),
  },
  {
    title: 'LoggedEvent',
    additionalProperties: true,
    description: 'With `event`, `state` and the other fields of its type',
  },
)

type Attachments = GatewayServices['attachments'] | undefined

/** A message's file is a link: a client that reads a thousand events fetches only the files it wants. */
export function toView(session: Session, line: LogEvent, attachments: Attachments): Static<typeof EventView> {
  const { seq, type, id, time, body } = line
  return {
    seq,
    type,
    ...body,
    ...attachments?.link(line),
    eventId: id,
    instanceName: session.name,
    ...(Object.keys(session.labels).length > 0 ? { labels: { ...session.labels } } : {}),
    userID: session.id,
    jid: session.jid,
    timestamp: time,
  }
}
