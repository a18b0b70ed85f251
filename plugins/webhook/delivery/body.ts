import type { GatewayServices, LogEvent, Session } from 'wamux/plugin'
import type { Endpoint } from '../endpoints/endpoint.ts'

/** What a body is made of: the log's line, and the session as it was when that happened. */
export interface BodyParts {
  readonly line: Pick<LogEvent, 'seq' | 'session' | 'id' | 'type' | 'time' | 'body'>
  readonly jid: string
}

/** What receivers parse: the family's body, the same on every attempt, and a message's file beside it. */
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

/** The bytes that are sent and signed. A form holds the JSON in `jsonData`, and always the token. */
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
