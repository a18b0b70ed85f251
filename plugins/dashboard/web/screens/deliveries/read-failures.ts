import { api } from '../../api.ts'
import { spanOf } from '../../forms/time-range.tsx'

export type FailureList = Awaited<ReturnType<typeof readFailures>>

/**
 * Of the range in the address; the last 24 hours without one.
 * @param session '' for all that the login may see
 */
export function readFailures(session: string) {
  const { since, until } = spanOf('24h')
  return api.get('/webhook/failures', {
    ...(session ? { Session: session } : {}),
    ...(since ? { Since: since } : {}),
    ...(until ? { Until: until } : {}),
  })
}
