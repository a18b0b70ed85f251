import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares digests: the time reveals neither content nor length. */
export function isSameSecret(a: string | Buffer, b: string | Buffer): boolean {
  return timingSafeEqual(digestOf(a), digestOf(b))
}

function digestOf(secret: string | Buffer): Buffer {
  return createHash('sha256').update(secret).digest()
}
