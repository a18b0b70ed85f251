import type { LogEvent, Session } from 'wamux/plugin'

/** What is written beside the event's own fields. */
export interface EventContext {
  /** JID of the session: deliveries keep the JID at the time of the event. */
  readonly jid: string
  /** Fields of a message's file, see `Attachments`. */
  readonly file?: Record<string, string> | undefined
  /** Token of the session, for receivers that get it. */
  readonly token?: string | undefined
}

/**
 * The JSON of an event as receivers parse it: webhooks and brokers get the same. The event's own JSON is inserted as it is
 * stored: parsing it and writing it again would double the cost of a delivery.
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
