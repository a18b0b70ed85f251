import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a signature covers: not the body, which is streamed; the client's own token decides what it may do. */
export interface Signed {
  method: string
  /** Path and query. */
  path: string
}

/** Seconds by which the clocks of two nodes may differ. */
export const MAX_SKEW_S = 300

/** `<seconds>.<HMAC-SHA256, base64url>` */
export function sign(secret: string, signed: Signed, seconds = Math.floor(Date.now() / 1000)): string {
  return `${seconds}.${mac(secret, signed, seconds).toString('base64url')}`
}

export function isSigned(secret: string, signed: Signed, signature: string): boolean {
  const [time = '', given = ''] = signature.split('.')
  const seconds = Number(time)
  if (!(Math.abs(Date.now() / 1000 - seconds) <= MAX_SKEW_S)) return false
  const expected = mac(secret, signed, seconds)
  const bytes = Buffer.from(given, 'base64url')
  return bytes.length === expected.length && timingSafeEqual(bytes, expected)
}

function mac(secret: string, { method, path }: Signed, seconds: number): Buffer {
  return createHmac('sha256', secret).update([seconds, method, path].join('\n')).digest()
}
