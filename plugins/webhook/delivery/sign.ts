import { createHmac } from 'node:crypto'
import type { Endpoint } from '../endpoints/endpoint.ts'

/**
 * Headers that authenticate a delivery: those of Standard Webhooks 1.0 over `id.timestamp.body`, and
 * `x-hmac-signature`, the hex HMAC-SHA256 of the raw body under the text of the secret. While a secret is being
 * rotated, `webhook-signature` holds a signature for each secret, `x-hmac-signature` that of the new one.
 */
export function sign(
  { secret, oldSecret, oldUntil }: Pick<Endpoint, 'secret' | 'oldSecret' | 'oldUntil'>,
  id: string,
  now: number,
  body: string,
): Record<string, string> {
  const seconds = Math.floor(now / 1000)
  const stamp = { 'webhook-id': id, 'webhook-timestamp': String(seconds) }
  if (!secret) return stamp
  const secrets = oldSecret && now < oldUntil ? [secret, oldSecret] : [secret]
  const signatures = secrets.map((key) => {
    const bytes = Buffer.from(key.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', bytes).update(`${id}.${seconds}.${body}`).digest('base64')}`
  })
  return {
    ...stamp,
    'webhook-signature': signatures.join(' '),
    'x-hmac-signature': createHmac('sha256', secret).update(body).digest('hex'),
  }
}
