type Json = Record<string, unknown>

export interface Difference {
  /** Path of the field, for example `payload.replyTo.media`. */
  readonly path: string
  readonly what: 'missing' | 'extra' | string
}

/**
 * Where a body has other keys or types than a documented one, key by key. In the documented one `{}` stands for any object
 * and `[]` for any list; a list is compared by its first value.
 */
export function differences(body: unknown, documented: unknown, path = ''): Difference[] {
  const [kind, wanted] = [kindOf(body), kindOf(documented)]
  if (kind !== wanted) return [{ path, what: `${kind} instead of ${wanted}` }]
  if (Array.isArray(documented)) {
    if (documented.length === 0) return []
    const list = body as unknown[]
    return list.length === 0 ? [{ path, what: 'empty' }] : differences(list[0], documented[0], `${path}[]`)
  }
  if (kind !== 'object' || Object.keys(documented as Json).length === 0) return []
  const [given, right] = [body as Json, documented as Json]
  return [...new Set([...Object.keys(given), ...Object.keys(right)])].flatMap((key) => {
    const place = path ? `${path}.${key}` : key
    if (!(key in right)) return [{ path: place, what: 'extra' }]
    return key in given ? differences(given[key], right[key], place) : [{ path: place, what: 'missing' }]
  })
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}
