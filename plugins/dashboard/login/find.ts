import type { Credentials, Login, Route } from 'wamux/plugin'
import { readCookie } from './cookie.ts'
import type { Logins } from './logins.ts'

/** A header on every call of this gateway's pages: other sites can't set it, because CORS does not allow it. */
export const HEADER = 'x-wamux-dashboard'

/**
 * The login of the request's cookie. A browser also sends the cookie with forms of pages on the same site, so changing calls
 * require the header, and requests from another origin have no login.
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
