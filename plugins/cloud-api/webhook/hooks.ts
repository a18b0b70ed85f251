import { randomBytes } from 'node:crypto'
import { ALL_OWNED, type GatewayServices, type Kernel, type Ownership, type Row } from 'wamux/plugin'
import type { CloudConfig } from '../config.ts'
import { verifyCallback } from './verify.ts'

/** Where the webhooks of a session go. */
export interface Hook {
  readonly url: string
  readonly verifyToken: string
  /** Signs the bodies. */
  readonly secret: string
}

export interface NewHook {
  readonly url: string
  readonly verifyToken: string
  /** That of the configuration, or a random one, when absent; the one that is set is kept. */
  readonly secret?: string | undefined
}

/** The webhooks of this process's sessions, read from memory. */
export interface Hooks {
  of(session: string): Hook | undefined
  /** Verified first. `isNew`: the secret was made now. Rejects FIELD_INVALID, CLOUD_CALLBACK_FAILED; nothing changes then. */
  set(session: string, hook: NewHook): Promise<{ hook: Hook; isNew: boolean }>
  /** Resolves with whether there was one. */
  remove(session: string): Promise<boolean>
  start(): Promise<void>
  stop(): void
}

type Deps = Kernel<CloudConfig> & Pick<GatewayServices, 'httpClient'> & { ownership?: Ownership | undefined }

export function createHooks(deps: Deps): Hooks {
  const { db, vault, config, httpClient, ownership = ALL_OWNED, background } = deps
  const known = new Map<string, Hook>()
  const place = 'cloud_api_hooks/hook'
  let stopWatching = (): void => undefined

  async function load(session?: string): Promise<void> {
    const query = db.read<Row>(db.table('hooks'))
    if (session) query.where({ session })
    const rows: Row[] = await query
    if (session && rows.length === 0) known.delete(session)
    for (const row of rows) {
      const id = String(row['session'])
      known.set(id, JSON.parse(vault.open(id, place, row['hook'] as Buffer).toString()))
    }
  }

  return {
    of: (session) => known.get(session),
    async set(session, { url, verifyToken, secret: given }) {
      httpClient.check('URL', url)
      await verifyCallback(httpClient, url, verifyToken, config.timeoutMs)
      const standing = given ?? known.get(session)?.secret ?? config.appSecret
      const hook = { url, verifyToken, secret: standing ?? randomBytes(16).toString('hex') }
      const sealed = vault.seal(session, place, JSON.stringify(hook))
      await db.write([db.put('hooks', ['session'], [{ session, hook: sealed }])])
      known.set(session, hook)
      return { hook, isNew: standing === undefined }
    },
    async remove(session) {
      await db.write([db.remove('hooks', ['session'], [{ session }])])
      return known.delete(session)
    },
    async start() {
      await load()
      // Another process may have changed it.
      stopWatching = ownership.watch((session, isOwned) => {
        if (isOwned) background(load(session), 'reading the Cloud API webhook of a session')
      })
    },
    stop: () => stopWatching(),
  }
}
