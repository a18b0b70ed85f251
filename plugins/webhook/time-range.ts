import { gatewayError, T } from 'wamux/plugin'

/** A time in a request. */
export const Time = (description: string) =>
  T.Optional(T.String({ minLength: 1, maxLength: 64, description: `${description}, RFC 3339` }))

/** Milliseconds since 1970. Throws FIELD_INVALID. */
export function toTime(field: string, text: string): number {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw gatewayError('FIELD_INVALID', [field, `"${text}" is not a valid time`])
  return time
}
