import type { LogEvent, Session } from 'wamux/plugin'
import type { Endpoint } from '../endpoints/endpoint.ts'

/** The parts of a body: the event, and the session's JID at the time of the event. */
export interface BodyParts {
  readonly line: Pick<LogEvent, 'seq' | 'session' | 'id' | 'type' | 'time' | 'body' | 'json'>
  readonly jid: string
}

/**
 * The JSON that receivers parse: the same on every attempt. The event's own JSON is inserted as it is stored, since to
 * parse and to write it again would double the cost of a delivery.
 *
 * @param file the fields of a message's file, see `Attachments`.
 * @param token of the session, where the body includes it.
 */
export function toJson(
  { id, name, labels }: Session,
  { line, jid }: BodyParts,
  file: Record<string, string> = {},
  token?: string,
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

/** The bytes that are sent and signed. A form holds the JSON in `jsonData`, and the token beside it. */
export function encode(format: Endpoint['format'], json: string, token = ''): Buffer {
  return Buffer.from(format === 'form' ? new URLSearchParams({ jsonData: json, token }).toString() : json)
}

export const CONTENT_TYPES: Readonly<Record<Endpoint['format'], string>> = {
  form: 'application/x-www-form-urlencoded',
  json: 'application/json; charset=utf-8',
}
