import type { GatewayServices, LogEvent, Session } from 'wamux/plugin'
import type { Endpoint } from '../endpoints/endpoint.ts'

/** The parts of a body: the event, and the session's JID at the time of the event. */
export interface BodyParts {
  readonly line: Pick<LogEvent, 'seq' | 'session' | 'id' | 'type' | 'time' | 'body'>
  readonly jid: string
}

/** The body that receivers parse: the same on every attempt, with the file of a message where it has one. */
export async function toBody(
  { id, name }: Session,
  { line, jid }: BodyParts,
  attachments: GatewayServices['attachments'] | undefined,
): Promise<Record<string, unknown>> {
  return {
    type: line.type,
    ...line.body,
    ...(await attachments?.attach(line)),
    eventId: line.id,
    instanceName: name,
    userID: id,
    jid,
    timestamp: line.time,
  }
}

/** The text that is sent and signed. A form holds the JSON in `jsonData` and always includes the token. */
export function encode(
  format: Endpoint['format'],
  body: Record<string, unknown>,
  token: string,
  includeToken: boolean,
): { text: string; type: string } {
  if (format === 'form') {
    const text = new URLSearchParams({ jsonData: JSON.stringify(body), token }).toString()
    return { text, type: 'application/x-www-form-urlencoded' }
  }
  const text = JSON.stringify(includeToken ? { ...body, token } : body)
  return { text, type: 'application/json; charset=utf-8' }
}
