import type { RouteCall } from 'wamux/plugin'
import { readCookie } from './cookie.ts'

/** Routes whose answers also contain session tokens. */
const WITH_TOKENS = new Set(['GET /session/all', 'POST /session/scanned', 'POST /session/init'])

/**
 * With a login instead of a token, answers contain none either: a page's script could send elsewhere whatever it can read.
 */
export async function hideTokens(call: RouteCall, next: () => Promise<unknown>): Promise<unknown> {
  const result = await next()
  const { route, raw, hasToken } = call
  if (!WITH_TOKENS.has(`${route.method} ${route.path}`)) return result
  if (hasToken || !readCookie(raw.headers.cookie ?? '')) return result
  return Array.isArray(result) ? result.map(withoutToken) : withoutToken(result)
}

function withoutToken(row: unknown): unknown {
  return typeof row === 'object' && row !== null && 'Token' in row ? { ...row, Token: '' } : row
}
