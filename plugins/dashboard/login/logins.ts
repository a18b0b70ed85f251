import { createInterval, gatewayError, type Kernel, type Row } from 'wamux/plugin'
import type { DashboardConfig } from '../config.ts'
import { hashOf, newSecret } from './cookie.ts'

export interface StoredLogin {
  /** The credential of the login: the admin token, a key, or a session's token. */
  readonly token: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  /** Aborted when it ends. */
  readonly ended: AbortSignal
}

export interface Logins {
  start(): Promise<void>
  stop(): Promise<void>
  /**
   * Ends the oldest of the same owner, or of all, where there are too many.
   *
   * @param owner the actor that the token is of. @returns the secret for the cookie; only its hash is stored.
   */
  begin(token: string, owner: string): Promise<{ secret: string; expiresAt: number }>
  find(secret: string): Promise<StoredLogin | undefined>
  end(secret: string): Promise<void>
}

interface OpenLogin extends StoredLogin {
  readonly end: AbortController
}

/** Logins ended by another process end here after at most this time. */
const REFRESH_MS = 3_000
/** Ids asked for in one query. */
const SLICE = 500
/** Open logins of one owner, and of all. */
const MAX_OF_OWNER = 20
const MAX_LOGINS = 10_000
const TABLE = 'logins'
const HOUR_MS = 3_600_000

export type LoginsDeps = Pick<Kernel<DashboardConfig>, 'config' | 'db' | 'vault' | 'log'>

/** Logins in use are kept in memory, and checked every few seconds for an end in another process. */
export function createLogins({ config, db, vault, log }: LoginsDeps): Logins {
  const known = new Map<string, OpenLogin>()
  const placeOf = (id: string): string => `dashboard_logins/${id}`
  const rows = () => db.read<Row>(db.table(TABLE)).where('expires_at', '>', Date.now())
  const drop = (id: string): void => {
    known.get(id)?.end.abort(gatewayError('TOKEN_INVALID'))
    known.delete(id)
  }

  async function refresh(): Promise<void> {
    if (known.size === 0) return
    const ids = [...known.keys()]
    for (let at = 0; at < ids.length; at += SLICE) {
      const slice = ids.slice(at, at + SLICE)
      const valid = new Set((await rows().whereIn('id', slice).select('id')).map(({ id }) => String(id)))
      for (const id of slice) if (!valid.has(id)) drop(id)
    }
  }
  const interval = createInterval(REFRESH_MS, refresh, (error) =>
    log.error({ err: error }, 'reading logins failed'),
  )

  /** Seals logins anew, because inactive master keys may be removed after a start. */
  async function sealAnew(): Promise<void> {
    const all = await rows()
    const sealed = all.map(({ id, credential, ...rest }) => {
      const place = placeOf(String(id))
      return { ...rest, id, credential: vault.seal('', place, vault.open('', place, credential as Buffer)) }
    })
    if (sealed.length > 0) await db.write([db.update(TABLE, ['id'], sealed)])
  }

  /** Deletes what has expired, and all but the newest. @returns the ids of those that it ended. */
  async function endSurplus(owner: string): Promise<string[]> {
    return db.transact(async (trx) => {
      const table = () => trx<Row>(db.table(TABLE))
      await table().where('expires_at', '<=', Date.now()).del()
      const ended: string[] = []
      for (const [most, which] of [
        [MAX_OF_OWNER, { owner }],
        [MAX_LOGINS, {}],
      ] as const) {
        const surplus = await table()
          .where(which)
          .orderBy('expires_at', 'desc')
          .offset(most)
          .limit(SLICE)
          .select('id')
        const ids = surplus.map(({ id }) => String(id))
        if (ids.length > 0) await table().whereIn('id', ids).del()
        ended.push(...ids)
      }
      return ended
    })
  }

  return {
    async start() {
      await db.transact((trx) => trx(db.table(TABLE)).where('expires_at', '<=', Date.now()).del())
      await sealAnew()
      interval.start()
    },
    stop: () => interval.stop(),
    async begin(token, owner) {
      const secret = newSecret()
      const id = hashOf(secret)
      const expiresAt = Date.now() + Math.round(config.loginHours * HOUR_MS)
      const row = { id, owner, credential: vault.seal('', placeOf(id), token), expires_at: expiresAt }
      await db.write([db.put(TABLE, ['id'], [row])])
      for (const ended of await endSurplus(owner)) drop(ended)
      return { secret, expiresAt }
    },
    async find(secret) {
      const id = hashOf(secret)
      const entry = known.get(id)
      if (entry && entry.expiresAt > Date.now()) return entry
      drop(id)
      const row = await rows().where({ id }).first()
      if (!row) return undefined
      const end = new AbortController()
      const token = vault.open('', placeOf(id), row['credential'] as Buffer).toString()
      const found = { token, expiresAt: Number(row['expires_at']), ended: end.signal, end }
      known.set(id, found)
      return found
    },
    async end(secret) {
      const id = hashOf(secret)
      await db.write([db.remove(TABLE, ['id'], [{ id }])])
      drop(id)
    },
  }
}
