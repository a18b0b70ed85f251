import type { RouteCall } from 'wamux/plugin'
import { readCookie } from './cookie.ts'

/** Routes whose answers hold tokens of sessions beside what was asked for. */
const WITH_TOKENS = new Set(['GET /session/all', 'POST /session/scanned', 'POST /session/init'])

/** Where a login stands for the token, answers hold none either: what a script of a page can read, it can send elsewhere. */
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
