/**
 * The `traceparent` of a request (W3C Trace Context), as version 00, which later versions extend. Undefined if it is absent
 * or invalid, which the standard says to ignore.
 */
export function readTraceparent(header: string): string | undefined {
  if (!header) return undefined
  const [, version, ids, rest] = TRACEPARENT.exec(header) ?? []
  return !ids || (version === '00' && rest) ? undefined : `00-${ids}`
}

/** Version `ff` and ids of zeros alone are invalid. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(-.*)?$/
