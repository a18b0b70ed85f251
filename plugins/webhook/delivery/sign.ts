import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { Endpoint } from '../endpoints/endpoint.ts'

export type Headers = Record<string, string>
type Secrets = Pick<Endpoint, 'secret' | 'oldSecret' | 'oldUntil'>

/**
 * Adds the headers that authenticate a delivery: those of Standard Webhooks 1.0 over `id.timestamp.body`, and
 * `x-hmac-signature`, the hex HMAC-SHA256 of the raw body under the text of the secret. While a secret is being
 * rotated, `webhook-signature` holds a signature for each secret, `x-hmac-signature` that of the new one.
 */
export function sign(headers: Headers, secrets: Secrets, id: string, now: number, body: Buffer): void {
  const seconds = Math.floor(now / 1000)
  headers['webhook-id'] = id
  headers['webhook-timestamp'] = String(seconds)
  if (!secrets.secret) return
  const { current, old, text } = keysOf(secrets)
  const prefix = `${id}.${seconds}.`
  const signature = (key: KeyObject): string =>
    `v1,${createHmac('sha256', key).update(prefix).update(body).digest('base64')}`
  headers['webhook-signature'] =
    old && now < secrets.oldUntil ? `${signature(current)} ${signature(old)}` : signature(current)
  headers['x-hmac-signature'] = createHmac('sha256', text).update(body).digest('hex')
}

interface Keys {
  readonly current: KeyObject
  readonly old: KeyObject | undefined
  /** Of the whole text of the secret. */
  readonly text: KeyObject
}

/** A key that was prepared once costs a third less. An endpoint that changes is a new object. */
const prepared = new WeakMap<Secrets, Keys>()

function keysOf(secrets: Secrets): Keys {
  const known = prepared.get(secrets)
  if (known) return known
  const { secret, oldSecret } = secrets
  const keys = {
    current: keyOf(secret),
    old: oldSecret ? keyOf(oldSecret) : undefined,
    text: createSecretKey(Buffer.from(secret)),
  }
  prepared.set(secrets, keys)
  return keys
}

function keyOf(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
}
