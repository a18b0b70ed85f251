import { randomBytes } from 'node:crypto'
import type { GatewayServices, Kernel, Row } from 'wamux/plugin'
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

/** The webhooks of sessions. */
export interface Hooks {
  /** From memory, as this process has last read or set it. */
  of(session: string): Hook | undefined
  /** From the table: another process may have changed it while it served the session. */
  read(session: string): Promise<Hook | undefined>
  /** Verified first. `isNew`: the secret was made now. Rejects FIELD_INVALID, CLOUD_CALLBACK_FAILED; nothing changes then. */
  set(session: string, hook: NewHook): Promise<{ hook: Hook; isNew: boolean }>
  /** Resolves with whether there was one. */
  remove(session: string): Promise<boolean>
  /** Reads those of all sessions. */
  load(): Promise<void>
}

type Deps = Kernel<CloudConfig> & Pick<GatewayServices, 'httpClient'>

export function createHooks({ db, vault, config, httpClient }: Deps): Hooks {
  const known = new Map<string, Hook>()
  const place = 'cloud_api_hooks/hook'

  function toHook(row: Row): Hook {
    return JSON.parse(vault.open(String(row['session']), place, row['hook'] as Buffer).toString()) as Hook
  }

  async function read(session: string): Promise<Hook | undefined> {
    const row = await db.read<Row>(db.table('hooks')).where({ session }).first()
    const hook = row && toHook(row)
    if (hook) known.set(session, hook)
    else known.delete(session)
    return hook
  }

  return {
    of: (session) => known.get(session),
    read,
    async set(session, { url, verifyToken, secret: given }) {
      httpClient.check('URL', url)
      await verifyCallback(httpClient, url, verifyToken, config.timeoutMs)
      const standing = given ?? (await read(session))?.secret ?? config.appSecret
      const hook = { url, verifyToken, secret: standing ?? randomBytes(16).toString('hex') }
      const sealed = vault.seal(session, place, JSON.stringify(hook))
      await db.write([db.put('hooks', ['session'], [{ session, hook: sealed }])])
      known.set(session, hook)
      return { hook, isNew: standing === undefined }
    },
    async remove(session) {
      const found = await read(session)
      await db.write([db.remove('hooks', ['session'], [{ session }])])
      known.delete(session)
      return found !== undefined
    },
    async load() {
      const rows: Row[] = await db.read<Row>(db.table('hooks'))
      for (const row of rows) {
        const id = String(row['session'])
        // Those that are known were read later than this.
        if (!known.has(id)) known.set(id, toHook(row))
      }
    },
  }
}
