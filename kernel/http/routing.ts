import Router from '@koa/router'
import type { Route } from '../types/route.ts'

/** The route of a request, and the parameters in its path. */
export interface Routed<R> {
  readonly found: R
  readonly params: Readonly<Record<string, string>>
}

export interface Routing<R> {
  /** undefined if there is none; `allowed` says why. HEAD finds the GET. */
  find(method: string, path: string): Routed<R> | undefined
  /** The methods of the most specific path that matches, with HEAD for GET; empty for an unknown path. */
  allowed(path: string): string[]
  /** Whether a route has exactly this path. */
  isFixed(path: string): boolean
  /** The route that was probably meant, as `POST /send/text`; undefined if none is near. */
  nearest(method: string, path: string): string | undefined
}

type Methods<R> = ReadonlyMap<string, Routed<R>>

/**
 * Finds routes by method and path. A fixed path decides, whatever the method: a request for `/send/text` never reaches
 * `/send/:id`. So does the most specific pattern, except for patterns that cover it.
 */
export function createRouting<R extends { readonly route: Route }>(routes: readonly R[]): Routing<R> {
  const fixed = new Map<string, Map<string, Routed<R>>>()
  for (const found of routes) {
    const { method, path } = found.route
    if (path.split('/').some((part) => rankOf(part) > 0)) continue
    const methods = fixed.get(path) ?? new Map<string, Routed<R>>()
    fixed.set(path, methods.set(method, { found, params: {} }))
  }
  // Fixed ones, too: the router accepts them in any case, and with a slash at the end.
  const router = new Router()
  const byLayer = new Map<unknown, R>()
  for (const found of [...routes].sort(bySpecificity)) {
    const { method, path } = found.route
    router.register(path, [method], () => undefined)
    byLayer.set(router.stack.at(-1), found)
  }

  function methodsOf(path: string): Methods<R> {
    const known = fixed.get(path)
    if (known) return known
    const [first, ...others] = router.match(path, 'GET').path
    if (!first) return new Map()
    const methods = new Map<string, Routed<R>>()
    for (const layer of [first, ...others.filter((other) => covers(other.path, first.path))]) {
      const found = byLayer.get(layer)
      if (!found || methods.has(found.route.method)) continue
      methods.set(found.route.method, { found, params: layer.params(path, layer.captures(path)) })
    }
    return methods
  }

  return {
    find: (method, path) => methodsOf(path).get(method === 'HEAD' ? 'GET' : method),
    allowed: (path) =>
      [...methodsOf(path).keys()].flatMap((method) => (method === 'GET' ? ['HEAD', 'GET'] : [method])),
    isFixed: (path) => fixed.has(path),
    nearest: (method, path) => nearestOf(routes, method, path),
  }
}

/** 0 for a fixed part of a path, more the more texts it matches. */
function rankOf(part: string): number {
  if (!/[:*({]/.test(part)) return 0
  if (/[*({]/.test(part)) return 3
  return part.startsWith(':') ? 2 : 1
}

function bySpecificity({ route: one }: { route: Route }, { route: other }: { route: Route }): number {
  const [ranks, others] = [one, other].map(({ path }) => path.split('/').map(rankOf)) as [number[], number[]]
  const at = ranks.findIndex((rank, index) => rank !== (others[index] ?? rank))
  return at < 0 ? 0 : (ranks[at] ?? 0) - (others[at] ?? 0)
}

/** Whether a pattern matches every path that the other one matches: a plugin's `/a/:id/:edge` beside its `/a/:id/media`. */
function covers(one: unknown, other: unknown): boolean {
  const [ranks, others] = [one, other].map((path) => String(path).split('/').map(rankOf)) as [
    number[],
    number[],
  ]
  return ranks.every((rank, at) => rank >= (others[at] ?? 0))
}

/** `/a/:b` and `/a/:c` have the same shape. */
export function shapeOf(path: unknown): string {
  return String(path).replace(/:[^/]+/g, ':')
}

/** Longer paths are not compared with all others. */
const MAX_LENGTH = 100
/** Characters of a path for each that may be mistyped. */
const PER_MISTAKE = 4
const MAX_MISTAKES = 3

function nearestOf(routes: readonly { readonly route: Route }[], method: string, path: string) {
  if (path.length > MAX_LENGTH) return undefined
  const given = path.toLowerCase()
  const parts = given.split('/')
  const most = Math.min(MAX_MISTAKES, Math.floor(given.length / PER_MISTAKE))
  let best: { name: string; cost: number } | undefined
  for (const { route } of routes) {
    const known = route.path.split('/').map((part, at) => (rankOf(part) > 1 ? (parts[at] ?? part) : part))
    const mistakes = distance(given, known.join('/').toLowerCase(), most)
    // With the same distance, the route of the method that was asked for.
    const cost = mistakes + (route.method === method ? 0 : 0.5)
    // Without a mistake, the pattern matches the path as it is.
    if (mistakes > 0 && mistakes <= most && cost < (best?.cost ?? Number.POSITIVE_INFINITY))
      best = { name: `${route.method} ${route.path}`, cost }
  }
  return best?.name
}

/** The number of characters to add, leave out or replace (Levenshtein); more than `most` if it is more. */
function distance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    if (Math.min(...next) > most) return most + 1
    row = next
  }
  return row[other.length] ?? 0
}
