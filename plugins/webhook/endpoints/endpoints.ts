import { randomBytes } from 'node:crypto'
import { gatewayError, type PluginDb, type Row, type Session, type Vault } from 'wamux/plugin'
import type { WebhookConfig } from '../config.ts'
import { type Endpoint, fromRow, toRow } from './endpoint.ts'

/** All endpoints, in memory and in the table. */
export interface Endpoints {
  load(): Promise<void>
  all(): Endpoint[]
  byId(id: string): Endpoint | undefined
  /** Those of a session, its own webhook first if it was ever set. */
  of(session: Session): Endpoint[]
  /** The session's own webhook; created when missing. */
  main(session: Session): Promise<Endpoint>
  add(session: Session, fields: Pick<Endpoint, 'url' | 'format' | 'subscribe'>): Promise<Endpoint>
  change(id: string, change: Partial<Omit<Endpoint, 'id' | 'session' | 'isMain'>>): Promise<Endpoint>
  remove(id: string): Promise<void>
}

interface Deps {
  config: WebhookConfig
  db: PluginDb
  vault: Vault
}

/** Additional endpoints of one session; bounds the load that one token can cause. */
const MAX_ENDPOINTS = 20

export function createEndpoints({ config, db, vault }: Deps): Endpoints {
  const byId = new Map<string, Endpoint>()
  const bySession = new Map<string, Set<string>>()

  function cache(endpoint: Endpoint): Endpoint {
    byId.set(endpoint.id, endpoint)
    const ids = bySession.get(endpoint.session) ?? new Set()
    bySession.set(endpoint.session, ids.add(endpoint.id))
    return endpoint
  }
  async function store(endpoint: Endpoint): Promise<Endpoint> {
    // Cached before the write, so that two changes in a row build on each other.
    cache(endpoint)
    await db.write([db.put('endpoints', ['id'], [toRow(vault, endpoint)])])
    return endpoint
  }
  const of = (session: Session): Endpoint[] =>
    [...(bySession.get(session.id) ?? [])]
      .flatMap((id) => byId.get(id) ?? [])
      .map((endpoint) =>
        isCurrent(endpoint, session)
          ? endpoint
          : cache({ ...endpoint, url: session.webhook, subscribe: session.subscribe }),
      )
      .sort((a, b) => Number(b.isMain) - Number(a.isMain))

  return {
    async load() {
      for (const row of await db.read<Row>(db.table('endpoints'))) cache(fromRow(vault, row))
    },
    all: () => [...byId.values()],
    byId: (id) => byId.get(id),
    of,
    async main(session) {
      const found = of(session).find(({ isMain }) => isMain)
      if (found) return found
      const { id, webhook: url, subscribe } = session
      return store({ ...blank(id), id, isMain: true, url, subscribe, format: config.format })
    },
    async add(session, fields) {
      const others = of(session).filter(({ isMain }) => !isMain)
      if (others.length >= MAX_ENDPOINTS)
        throw gatewayError('FIELD_INVALID', ['URL', `a session may have at most ${MAX_ENDPOINTS}`])
      const id = `ep_${randomBytes(9).toString('base64url')}`
      return store({ ...blank(session.id), ...fields, id, secret: newSecret() })
    },
    async change(id, change) {
      const before = byId.get(id)
      if (!before) throw gatewayError('ITEM_UNKNOWN', ['Endpoint'])
      return store({ ...before, ...change })
    },
    async remove(id) {
      const endpoint = byId.get(id)
      byId.delete(id)
      if (endpoint) bySession.get(endpoint.session)?.delete(id)
      await db.write([db.remove('endpoints', ['id'], [{ id }])])
    },
  }
}

/** The address and the classes of the session's own webhook are those of the session. */
function isCurrent({ isMain, url, subscribe }: Endpoint, session: Session): boolean {
  return !isMain || (url === session.webhook && subscribe === session.subscribe)
}

export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

function blank(session: string): Omit<Endpoint, 'id' | 'url' | 'format' | 'subscribe'> {
  return {
    session,
    isMain: false,
    secret: '',
    oldSecret: '',
    oldUntil: 0,
    state: 'active',
    reason: '',
    failingSince: 0,
  }
}
