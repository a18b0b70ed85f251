import type { Credentials, Login, Route } from 'wamux/plugin'
import { readCookie } from './cookie.ts'
import type { Logins } from './logins.ts'

/** What every call of a page of this gateway has: other sites can't set it without the consent of CORS, which has it not. */
export const HEADER = 'x-wamux-dashboard'

/**
 * The login of the request's cookie. A browser sends the cookie with forms of pages on the same site too, so that what
 * changes something requires the header, and what another origin asks for has no login.
 */
export async function findLogin(
  { header }: Credentials,
  { method }: Route,
  { logins }: { logins: Logins },
): Promise<Login | undefined> {
  const secret = readCookie(header('cookie'))
  if (!secret) return undefined
  if (method !== 'GET' && header(HEADER) === '') return undefined
  if (!['', 'same-origin', 'none'].includes(header('sec-fetch-site'))) return undefined
  return logins.find(secret)
}
