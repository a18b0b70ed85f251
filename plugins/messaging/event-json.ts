import type { LogEvent, Session } from 'wamux/plugin'

/** Fields written in addition to the event's own. */
export interface EventContext {
  /** JID of the session: deliveries keep the JID at the time of the event. */
  readonly jid: string
  /** Fields of a message's file, see `Attachments`. */
  readonly file?: Record<string, string> | undefined
  /** Token of the session, for receivers that receive it. */
  readonly token?: string | undefined
}

/**
 * The JSON of an event for receivers, the same for webhooks and brokers. The event's own JSON is inserted as stored: parsing
 * and rewriting it would double the cost of a delivery.
 */
export function eventJson(
  line: Pick<LogEvent, 'id' | 'type' | 'time' | 'body' | 'json'>,
  { id, name, labels }: Pick<Session, 'id' | 'name' | 'labels'>,
  { jid, file, token }: EventContext,
): string {
  const own = (line.json ?? JSON.stringify(line.body)).slice(1, -1)
  const rest = JSON.stringify({
    ...file,
    eventId: line.id,
    instanceName: name,
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
    userID: id,
    jid,
    timestamp: line.time,
    // Left out if undefined.
    token,
  })
  return `{"type":${JSON.stringify(line.type)},${own === '' ? '' : `${own},`}${rest.slice(1)}`
}
