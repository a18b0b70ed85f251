import type { LogEvent } from 'wamux/plugin'

/** Beginning of a body with a `traceparent`. */
const START = '{"traceparent":"'
/** `00-`, 32 and 16 hex digits, two more, and the dashes between them. */
const LENGTH = 55

/** `traceparent` of the request that caused the event, found without parsing the body. */
export function traceparentOf({ json = '' }: Pick<LogEvent, 'json'>): string | undefined {
  return json.startsWith(START) ? json.slice(START.length, START.length + LENGTH) : undefined
}
