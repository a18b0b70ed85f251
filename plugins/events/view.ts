import { type LogEvent, type Session, type Static, T } from 'wamux/plugin'

/** An event as a webhook would get it, and its place in the log. */
export const EventView = T.Object(
  {
    seq: T.Integer({ description: 'Its place in the log: what to go on after' }),
    type: T.String(),
    eventId: T.String(),
    instanceName: T.String(),
    userID: T.String(),
    jid: T.String(),
    timestamp: T.String(),
  },
  { additionalProperties: true, description: 'With `event`, `state` and whatever else its type has' },
)

export function toView(session: Session, { seq, type, id, time, body }: LogEvent): Static<typeof EventView> {
  return {
    seq,
    type,
    ...body,
    eventId: id,
    instanceName: session.name,
    userID: session.id,
    jid: session.jid,
    timestamp: time,
  }
}
