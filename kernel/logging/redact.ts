/**
 * Lower-case names of fields that hold a secret, a request or a person's name. One list for the process, like the error
 * table: the log is created before the gateway that adds the names of its plugins.
 */
const SECRET = new Set([
  ...['token', 'admintoken', 'authorization', 'cookie', 'secret', 'password'],
  ...['body', 'text', 'data', 'payload', 'name'],
])

/** Adds names that plugins declare; case does not matter. */
export function addRedactions(names: readonly string[]): void {
  for (const name of names) SECRET.add(name.toLowerCase())
}

/** Fields with file names, databases, traces and versions, whose digits are not a person's number. */
const PLACE = new Set(['file', 'card', 'database', 'traceparent', 'version'])

/** Logged depth of nested objects; deeper and circular ones are cut. */
const MAX_DEPTH = 6

/** Derives a short, stable pseudonym from a person's number. */
type Mark = (user: string) => string

/** Redacts possible secrets and replaces people's numbers by pseudonyms. */
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
    if (depth > MAX_DEPTH) return '[deeper]'
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

  /**
   * An error's message and stack come from this code or a library; its other fields could contain anything and are left out.
   */
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

/** Request ids are not people's numbers, even if they consist only of digits. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The user of an address `user:device@host`, without its device, and every other run of digits that could be a person's
 * number, after `%2B` too. Ids do not match: in them digits touch letters.
 */
const NUMBERS =
  /(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2}))(?:(\d+)((?:[._]\d+)?(?::\d+)?@)|(\d{7,})(?![A-Za-z0-9]))/g
