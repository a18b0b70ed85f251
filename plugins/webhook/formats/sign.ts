import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { Signing } from '../contract.ts'

/**
 * The headers that authenticate a delivery: the signature of Standard Webhooks 1.0 over `id.timestamp.body`, and
 * `x-hmac-signature`, the hex HMAC-SHA256 of the raw body, keyed with the text of the secret. During a rotation,
 * `webhook-signature` has a signature for each secret, `x-hmac-signature` only the new secret's.
 */
export function sign(body: Buffer, secret: string, { id, now, oldSecret }: Signing): Record<string, string> {
  const prefix = `${id}.${Math.floor(now / 1000)}.`
  const signature = ({ decoded }: Keys): string =>
    `v1,${createHmac('sha256', decoded).update(prefix).update(body).digest('base64')}`
  const keys = keysOf(secret)
  return {
    'webhook-signature': oldSecret ? `${signature(keys)} ${signature(keysOf(oldSecret))}` : signature(keys),
    'x-hmac-signature': createHmac('sha256', keys.text).update(body).digest('hex'),
  }
}

interface Keys {
  /** HMAC keyed with the bytes that the secret encodes. */
  readonly decoded: KeyObject
  /** HMAC keyed with the whole text of the secret. */
  readonly text: KeyObject
}

/** Number of secrets whose keys are cached: a prepared key saves a third of the cost. */
const MAX_PREPARED = 10_000
const prepared = new Map<string, Keys>()

function keysOf(secret: string): Keys {
  const known = prepared.get(secret)
  if (known) return known
  const keys = {
    decoded: createSecretKey(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')),
    text: createSecretKey(Buffer.from(secret)),
  }
  if (prepared.size >= MAX_PREPARED) prepared.clear()
  prepared.set(secret, keys)
  return keys
}
