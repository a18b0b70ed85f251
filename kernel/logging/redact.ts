/**
 * Names, in lower case, of fields that hold a secret, a request or what somebody is called. Of the process, as the table
 * of errors is: a log is made before the gateway that adds what its plugins name.
 */
const SECRET = new Set([
  ...['token', 'admintoken', 'authorization', 'cookie', 'secret', 'password'],
  ...['body', 'text', 'data', 'payload', 'name'],
])

/** Adds names that plugins bring; in any case. */
export function addRedactions(names: readonly string[]): void {
  for (const name of names) SECRET.add(name.toLowerCase())
}

/** Names of files and databases, whose digits are nobody's. */
const PLACE = new Set(['file', 'card', 'database'])

/** Objects in one another that are looked into; deeper ones, and those that hold themselves, are not shown. */
const DEPTH_MOST = 6

/** A short, stable word for somebody, in place of a number. */
export type Mark = (user: string) => string

/** Cuts out what may hold a secret, and puts marks where numbers of people stand. */
export interface Redaction {
  text(text: string): string
  value(value: unknown): unknown
}

export function createRedaction(mark: Mark): Redaction {
  const text = (text: string): string => {
    if (UUID.test(text)) return text
    return text.replace(NUMBERS, (_all, user, device = '', number) => mark(user ?? number) + device)
  }

  function value(given: unknown, depth = 0): unknown {
    if (typeof given === 'string') return text(given)
    if (typeof given !== 'object' || given === null || given instanceof Date) return given
    if (given instanceof Error) return describe(given)
    if (ArrayBuffer.isView(given)) return `[${given.byteLength} bytes]`
    if (depth > DEPTH_MOST) return '[deeper]'
    if (Array.isArray(given)) return given.map((one) => value(one, depth + 1))
    const copy: Record<string, unknown> = {}
    for (const [name, inner] of Object.entries(given))
      copy[text(name)] = shown(name.toLowerCase(), inner, depth)
    return copy
  }

  function shown(name: string, inner: unknown, depth: number): unknown {
    if (SECRET.has(name)) return '[redacted]'
    return PLACE.has(name) && typeof inner === 'string' ? inner : value(inner, depth + 1)
  }

  /** An error's own words are ours or a library's; what it carries beside them may be anything. */
  function describe({ name, message, stack, cause }: Error): Record<string, unknown> {
    return {
      type: name,
      reason: text(message),
      stack: text(stack ?? ''),
      ...(cause instanceof Error ? { cause: text(cause.stack ?? '') } : {}),
    }
  }
  return { text, value: (given) => value(given) }
}

/** Ids of requests are no numbers of anybody, even where they have digits alone. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The user of an address `user:device@host`, without its device, and every other run of digits that could be the number
 * of somebody; also behind `%2B`. Ids are spared: in them digits touch letters.
 */
const NUMBERS =
  /(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2}))(?:(\d+)((?:[._]\d+)?(?::\d+)?@)|(\d{7,})(?![A-Za-z0-9]))/g
