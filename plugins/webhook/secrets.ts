import { createHmac, randomBytes } from 'node:crypto'
import type { PluginDb } from 'wamux/plugin'

/** A key for each session, with which a receiver can tell our deliveries from others'. */
export interface Secrets {
  of(session: string): Promise<string>
  /** Makes one at the first call; answers it then and never again. */
  create(session: string): Promise<string | undefined>
}

export function createSecrets({ db }: { db: PluginDb }): Secrets {
  const known = new Map<string, string>()
  const find = async (session: string): Promise<string | undefined> => {
    const row = await db
      .read<{ secret: string }>(db.table('secrets'))
      .where({ session } as never)
      .first()
    if (row) known.set(session, row.secret)
    return row?.secret
  }
  return {
    of: async (session) => known.get(session) ?? (await find(session)) ?? '',
    async create(session) {
      if (known.get(session) ?? (await find(session))) return undefined
      const secret = `whsec_${randomBytes(32).toString('base64')}`
      await db.write([db.put('secrets', ['session'], [{ session, secret }])])
      known.set(session, secret)
      return secret
    },
  }
}

/**
 * Headers that prove where a delivery comes from: those of Standard Webhooks 1.0 over `id.timestamp.body`, and
 * the family's `x-hmac-signature`, hex HMAC-SHA256 of the raw body under the secret's text.
 */
export function sign(secret: string, id: string, seconds: number, body: string): Record<string, string> {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
    'x-hmac-signature': createHmac('sha256', secret).update(body).digest('hex'),
  }
}
