import { T } from 'wamux/plugin'

/** A time in a request. */
export const Time = (description: string) =>
  T.Optional(T.String({ minLength: 1, format: 'date-time', description: `${description}, RFC 3339` }))
