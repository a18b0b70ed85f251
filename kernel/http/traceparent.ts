/**
 * The `traceparent` of a request (W3C Trace Context), in version 00: a later version is read as far as that goes.
 * Undefined where there is none or an invalid one, which is to be ignored.
 */
export function readTraceparent(header: string): string | undefined {
  if (!header) return undefined
  const [, version, ids, rest] = TRACEPARENT.exec(header) ?? []
  return !ids || (version === '00' && rest) ? undefined : `00-${ids}`
}

/** Version `ff` and ids of zeros alone are invalid. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(-.*)?$/
