import { randomBytes } from 'node:crypto'
import { gatewayError, type PluginDb, type Row, type Session, type Vault } from 'wamux/plugin'
import type { WebhookConfig } from '../config.ts'
import { type Endpoint, fromRow, toRow } from './endpoint.ts'

/** All receivers, in memory and in the table. */
export interface Endpoints {
  load(): Promise<void>
  all(): Endpoint[]
  byId(id: string): Endpoint | undefined
  /** A session's, its own webhook first; without one that was never set. */
  of(session: Session): Endpoint[]
  /** The session's own webhook; made when missing. */
  main(session: Session): Promise<Endpoint>
  add(session: Session, fields: Pick<Endpoint, 'url' | 'format' | 'subscribe'>): Promise<Endpoint>
  change(id: string, change: Partial<Omit<Endpoint, 'id' | 'session' | 'isFirst'>>): Promise<Endpoint>
  remove(id: string): Promise<void>
}

interface Deps {
  config: WebhookConfig
  db: PluginDb
  vault: Vault
}

/** Further receivers a session; a bound on what one token can make the gateway do. */
const MAX_ENDPOINTS = 20

export function createEndpoints({ config, db, vault }: Deps): Endpoints {
  const known = new Map<string, Endpoint>()
  const bySession = new Map<string, Set<string>>()

  function keep(endpoint: Endpoint): Endpoint {
    known.set(endpoint.id, endpoint)
    const ids = bySession.get(endpoint.session) ?? new Set()
    bySession.set(endpoint.session, ids.add(endpoint.id))
    return endpoint
  }
  async function store(endpoint: Endpoint): Promise<Endpoint> {
    // In memory at once, so that two changes in a row build on each other.
    keep(endpoint)
    await db.write([db.put('endpoints', ['id'], [toRow(vault, endpoint)])])
    return endpoint
  }
  const of = (session: Session): Endpoint[] =>
    [...(bySession.get(session.id) ?? [])]
      .flatMap((id) => known.get(id) ?? [])
      .map((endpoint) =>
        isCurrent(endpoint, session)
          ? endpoint
          : keep({ ...endpoint, url: session.webhook, subscribe: session.subscribe }),
      )
      .sort((a, b) => Number(b.isMain) - Number(a.isMain))

  return {
    async load() {
      for (const row of await db.read<Row>(db.table('endpoints'))) keep(fromRow(vault, row))
    },
    all: () => [...known.values()],
    byId: (id) => known.get(id),
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
        throw gatewayError('FIELD_INVALID', ['URL', `a session has ${MAX_ENDPOINTS} at most`])
      const id = `ep_${randomBytes(9).toString('base64url')}`
      return store({ ...blank(session.id), ...fields, id, secret: newSecret() })
    },
    async change(id, change) {
      const before = known.get(id)
      if (!before) throw gatewayError('ITEM_UNKNOWN', ['Endpoint'])
      return store({ ...before, ...change })
    },
    async remove(id) {
      const endpoint = known.get(id)
      known.delete(id)
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
