import type { IncomingHttpHeaders } from 'node:http'
import { gatewayError } from '../errors.ts'
import { KINDS } from '../validate/kinds.ts'

/** Characters of a parameter in the path. */
const MAX_PARAM = 256
const MAX_QUERY_FIELDS = 100
const MAX_QUERY_NAME = 256
const MAX_QUERY_VALUE = 4_096

/** Characters of a header that the gateway or a plugin reads. */
const MAX_HEADER = 4_096
const HEADERS: Readonly<Record<string, number>> = {
  token: KINDS.token.longest,
  admintoken: KINDS.token.longest,
  authorization: MAX_HEADER,
  ...{ 'x-session': 256, 'idempotency-key': 256, prefer: 256, 'last-event-id': 256, traceparent: 256 },
  // Koa splits these at commas with an expression that takes quadratic time on blanks.
  ...{ 'x-forwarded-for': 1_024, 'x-forwarded-host': 1_024, 'x-forwarded-proto': 256, host: 1_024 },
  // A browser sends the cookies of all pages of the host.
  cookie: 16_384,
}

/** Refuses a request if a header that the gateway reads is too long. Other headers may have any length. */
export function assertHeaders(headers: IncomingHttpHeaders): void {
  for (const name in HEADERS) {
    const value = headers[name]
    if (value !== undefined) assertLength(`header ${name}`, value, HEADERS[name] ?? MAX_HEADER)
  }
}

/** A header by its lower-case name; '' when absent. Throws FIELD_INVALID for one that is too long. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string {
  const key = name.toLowerCase()
  const value = String(headers[key] ?? '')
  assertLength(`header ${key}`, value, HEADERS[key] ?? MAX_HEADER)
  return value
}

export function assertParams(params: Readonly<Record<string, string>>): void {
  for (const name in params) assertLength(name, params[name] ?? '', MAX_PARAM)
}

export function assertQuery(query: URLSearchParams): void {
  if (query.size > MAX_QUERY_FIELDS)
    throw gatewayError('FIELD_INVALID', ['query', `must NOT have more than ${MAX_QUERY_FIELDS} fields`])
  for (const [name, value] of query) {
    assertLength('query', name, MAX_QUERY_NAME)
    assertLength(name, value, MAX_QUERY_VALUE)
  }
}

function assertLength(field: string, { length }: string | readonly string[], most: number): void {
  if (length > most)
    throw gatewayError('FIELD_INVALID', [field, `must NOT have more than ${most} characters`])
}

/** A part of the path that URL parsers resolve to another path (WHATWG URL). */
const DOTS = /^[^?#]*[/\\](?:\.|%2e){1,2}(?:[/\\?#]|$)/i

/**
 * Refuses a request whose target is not a path but an absolute address, for example: a library that resolves it, or another
 * server that it is forwarded to, could connect to the host that it names.
 */
export function assertPath(target = ''): void {
  if (!/^\/(?![/\\])/.test(target) || DOTS.test(target)) throw gatewayError('TARGET_INVALID')
}
