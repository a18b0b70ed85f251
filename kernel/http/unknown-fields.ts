import { type GatewayError, gatewayError } from '../errors.ts'
import type { Route } from '../types/route.ts'
import type { RequestContext } from './answer.ts'
import type { OnUnknown } from './bodies/normalize.ts'

/** Most names in the header, and most characters of one. */
const MAX_NAMES = 20
const MAX_LENGTH = 64
/** Most characters of the list of known names in an error. */
const MAX_KNOWN = 1_000

/**
 * What is done with the unknown fields and query parameters of a request: they are refused, or, by a route for clients of
 * other gateways, listed in the header `X-Ignored-Fields`, on success and on failure. `Prefer: handling=strict` (RFC 7240)
 * refuses them on every route.
 *
 * @param isStrict refuses them on every route, too.
 */
export function unknownFields(ctx: RequestContext, route: Route, isStrict: boolean): OnUnknown {
  const refuses = isStrict || !ignoresUnknown(route) || prefersStrict(ctx.get('prefer'))
  const names: string[] = []
  return (path, known) => {
    if (refuses) throw unknownField(path, known)
    if (names.length > MAX_NAMES) return
    names.push(names.length === MAX_NAMES ? '...' : plain(path))
    ctx.set('X-Ignored-Fields', names.join(', '))
  }
}

/** Reports the query parameters that the route does not read. Those of a GET with a schema are checked as its fields. */
export function checkQuery({ method, spec }: Route, query: URLSearchParams, onUnknown: OnUnknown): void {
  if (method === 'GET' && spec.body) return
  for (const name of query.keys()) {
    if (!readsQuery(spec, name)) onUnknown(name, spec.query ?? [])
  }
}

/** Fields in the query of a GET, without the credentials and what the handler reads itself; a repeated one is a list. */
export function fieldsInQuery({ spec }: Route, query: URLSearchParams): Record<string, unknown> {
  const names = [...new Set(query.keys())].filter((name) => !readsQuery(spec, name))
  return Object.fromEntries(
    names.map((name) => {
      const values = query.getAll(name)
      return [name, values.length > 1 ? values : values[0]]
    }),
  )
}

export function unknownField(path: string, known: readonly string[]): GatewayError {
  const names = known.join(', ')
  const list = names.length > MAX_KNOWN ? `${names.slice(0, MAX_KNOWN)}...` : names || 'none'
  return gatewayError('FIELD_UNKNOWN', [path.slice(0, MAX_LENGTH), list])
}

/** People pass the addresses of pages on through apps that append parameters. */
function ignoresUnknown({ spec }: Route): boolean {
  const { contentMediaType } = (spec.response ?? {}) as { contentMediaType?: string }
  return spec.ignoresUnknown ?? contentMediaType === 'text/html'
}

function readsQuery({ query = [], adminInQuery }: Route['spec'], name: string): boolean {
  return name === 'token' || (name === 'admintoken' && adminInQuery === true) || query.includes(name)
}

function prefersStrict(header: string): boolean {
  return header.split(',').some((preference) => /^\s*handling\s*=\s*"?strict"?\s*(;|$)/i.test(preference))
}

/** The name comes from a client: a character that is invalid in a header, or a comma, becomes `?`. */
function plain(path: string): string {
  return path.slice(0, MAX_LENGTH).replace(/[^\x21-\x2b\x2d-\x7e]/g, '?') || '?'
}
