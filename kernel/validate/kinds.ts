import { IsDateTime, IsEmail, IsUri } from 'typebox/format'

interface Row {
  /** Maximum length of a text whose schema has no `maxLength`. */
  readonly longest: number
  /** Check of a text of this kind; any text when absent. */
  readonly check?: (text: string) => boolean
  /** Message for a text that fails the check. */
  readonly fault?: string
  /** The gateway may request an address in it, unless the field declares otherwise (keyword `leaves`). */
  readonly leaves?: 'fetch'
}

/** Kinds of text, which a schema names as the `format` of a string. */
export const KINDS = {
  /** A person's address; normalizing accepts a number, and plugins check it. */
  phone: { longest: 256 },
  /**
   * Id of an event, a row or an item on the network. A trailing '@' makes it an address without a host, for which the
   * network ends the link.
   */
  id: { longest: 256, check: (text) => !text.endsWith('@'), fault: "must not end with '@'" },
  /** Name of a person, session, list or class. */
  name: { longest: 256 },
  /** Tokens, secrets, codes. */
  token: { longest: 1_024 },
  /** Titles, footers, button labels. */
  line: { longest: 1_024 },
  /** An address that the plugin checks and requests. */
  link: { longest: 2_048, leaves: 'fetch' },
  text: { longest: 65_536 },
  /** A data URL, base64 or link, up to the body limit. */
  file: { longest: Number.POSITIVE_INFINITY, leaves: 'fetch' },
  uri: { longest: 2_048, check: IsUri, fault: 'must be an absolute URI', leaves: 'fetch' },
  email: { longest: 254, check: IsEmail, fault: 'must be an e-mail address' },
  'date-time': {
    longest: 64,
    // A leap second has no place in JavaScript's times.
    check: (text) => IsDateTime(text) && !Number.isNaN(Date.parse(text)),
    fault: 'must be an RFC 3339 time, for example 2030-12-24T18:00:00+01:00',
  },
  /** On the clock of the session's owner. */
  'time-of-day': {
    longest: 5,
    check: (text) => /^([01]\d|2[0-3]):[0-5]\d$/.test(text),
    fault: 'must be a time of day, for example 18:30',
  },
} as const satisfies Record<string, Row>

export type Kind = keyof typeof KINDS

export function kindOf(format: string): Row | undefined {
  return Object.hasOwn(KINDS, format) ? KINDS[format as Kind] : undefined
}
