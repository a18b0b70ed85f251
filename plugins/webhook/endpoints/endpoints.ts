import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  ALL_OWNED,
  coalesce,
  createOwned,
  gatewayError,
  isGatewayError,
  type Log,
  type Ownership,
  type Peers,
  type PluginDb,
  type Row,
  reasonOf,
  type Session,
  type Sessions,
  type Vault,
  type Write,
  type WriteOptions,
} from 'wamux/plugin'
import type { WebhookConfig } from '../config.ts'
import { NATIVE } from '../formats/native.ts'
import { type Endpoint, fromRow, toRow } from './endpoint.ts'

/** All endpoints, in memory and in the table. */
export interface Endpoints {
  /** Reads the endpoints of gained sessions, which another process may have changed. */
  start(): void
  /** Whether the endpoints of the session have not been read yet. */
  isPending(session: string): boolean
  /** Resolves once the endpoints of the session have been read. */
  ready(session: string): Promise<void>
  /** Reads the table. @returns the ids of endpoints changed by another process. */
  load(): Promise<string[]>
  /**
   * Applies the configuration to the endpoint of all sessions.
   *
   * @param classes the ones of `globalSubscribe`, by their declared names.
   */
  configure(classes: readonly string[]): Promise<void>
  all(): Endpoint[]
  byId(id: string): Endpoint | undefined
  /** The endpoints of a session, its own webhook first if it was ever set. */
  of(session: Session): Endpoint[]
  /** The endpoints of all sessions. */
  global(): Endpoint[]
  /** The endpoints that may receive events of a session: its own ones, and those of all sessions. */
  receivers(session: Session): Endpoint[]
  /** The session's own webhook; created when missing. */
  main(session: Session): Promise<Endpoint>
  /** @param session undefined for an endpoint of all sessions. */
  add(session: Session | undefined, fields: NewEndpoint): Promise<Endpoint>
  /** Not counted, unlike others; created by any process unless its id exists. */
  addNamed(session: Session, endpoint: NamedEndpoint): Promise<Endpoint>
  change(id: string, change: Partial<Omit<Endpoint, 'id' | 'session' | 'isMain'>>): Promise<Endpoint>
  remove(id: string): Promise<void>
  stop(): Promise<void>
}

/** The fields set by a client; the rest has defaults. */
export type NewEndpoint = Pick<Endpoint, 'url'> &
  Partial<
    Pick<
      Endpoint,
      | 'format'
      | 'edits'
      | 'events'
      | 'transform'
      | 'subscribe'
      | 'filter'
      | 'headers'
      | 'includesToken'
      | 'isByKey'
      | 'state'
    >
  >

/** An endpoint created by another plugin, with an id derived from its name. */
export interface NamedEndpoint extends NewEndpoint {
  readonly id: string
  readonly secret: string
}

interface Deps {
  config: WebhookConfig
  db: PluginDb
  vault: Vault
  peers: Peers
  sessions: Pick<Sessions, 'list' | 'byId'>
  ownership?: Ownership | undefined
  log: Log
}

/** Announces that endpoints were changed. */
export const ENDPOINTS_TOPIC = 'webhook.endpoints'

/** Additional endpoints of one session, or of all sessions; bounds the load that one token can cause. */
const MAX_ENDPOINTS = 20

/** Id of the endpoint of all sessions that the configuration sets. */
export const CONFIGURED = 'ep_configured'
export const ACTIVE = { state: 'active', reason: '', failingSince: 0 } as const
export const PAUSED = { ...ACTIVE, state: 'paused' } as const

export function createEndpoints(deps: Deps): Endpoints {
  const { config, db, vault, peers, sessions, ownership = ALL_OWNED, log } = deps
  const byId = new Map<string, Endpoint>()
  const bySession = new Map<string, Set<string>>()
  const opened = db.knownRows('endpoints')
  /** Current writes by id: rows read meanwhile are older. */
  const writing = new Map<string, number>()

  function cache(endpoint: Endpoint): Endpoint {
    byId.set(endpoint.id, endpoint)
    const ids = bySession.get(endpoint.session) ?? new Set()
    bySession.set(endpoint.session, ids.add(endpoint.id))
    return endpoint
  }
  async function store(endpoint: Endpoint): Promise<Endpoint> {
    // Cached before the write, so that consecutive changes build on each other.
    cache(endpoint)
    opened.forget(endpoint.id)
    await write(endpoint.id, db.put('endpoints', ['id'], [toRow(vault, endpoint)]))
    return endpoint
  }
  function forget(id: string): void {
    const endpoint = byId.get(id)
    byId.delete(id)
    opened.forget(id)
    if (endpoint) bySession.get(endpoint.session)?.delete(id)
  }
  async function remove(id: string): Promise<void> {
    forget(id)
    await write(id, db.remove('endpoints', ['id'], [{ id }]))
  }
  async function write(id: string, change: Write, options?: WriteOptions): Promise<void> {
    writing.set(id, (writing.get(id) ?? 0) + 1)
    try {
      await db.write([change], options)
    } finally {
      const others = (writing.get(id) ?? 1) - 1
      if (others > 0) writing.set(id, others)
      else writing.delete(id)
    }
    peers.notify(ENDPOINTS_TOPIC)
  }
  /** This process can't decrypt rows of sessions that another one has created and that it has not read yet. */
  async function openAll(rows: readonly Row[]): Promise<{ row: Row; endpoint: Endpoint }[]> {
    const found = rows.map((row) => ({ row, endpoint: openRow(vault, row) }))
    if (found.some(({ endpoint }) => !endpoint)) await sessions.list()
    const read: { row: Row; endpoint: Endpoint }[] = []
    for (const { row, ...rest } of found) {
      const endpoint = rest.endpoint ?? openRow(vault, row)
      if (endpoint) read.push({ row, endpoint })
      // A list does not reread sessions that this process serves; a session that is still unknown has been removed.
      else if (await sessions.byId(String(row['session']))) read.push({ row, endpoint: fromRow(vault, row) })
    }
    return read
  }
  const global = (): Endpoint[] => listed('')
  const listed = (session: string): Endpoint[] =>
    [...(bySession.get(session) ?? [])].flatMap((id) => byId.get(id) ?? [])
  const of = (session: Session): Endpoint[] =>
    listed(session.id)
      .map((endpoint) =>
        isCurrent(endpoint, session)
          ? endpoint
          : cache({ ...endpoint, url: session.webhook, subscribe: session.subscribe }),
      )
      .sort((a, b) => Number(b.isMain) - Number(a.isMain))

  async function load(): Promise<string[]> {
    const known = [...byId.keys()].filter((id) => !writing.has(id))
    const { rows, ids } = await opened.changed()
    const read = (await openAll(rows)).filter(({ endpoint }) => !writing.has(endpoint.id))
    for (const id of known) if (!ids.has(id) && !writing.has(id)) forget(id)
    const changed = read.filter(({ endpoint }) => !isSame(endpoint, byId.get(endpoint.id)))
    for (const { endpoint } of changed) cache(endpoint)
    for (const { row } of read) opened.note(row)
    return changed.map(({ endpoint }) => endpoint.id)
  }
  // Many sessions are gained at once, and their endpoints are read together.
  const loading = coalesce(async () => void (await load()))
  const owned = createOwned({
    ownership,
    open: loading.run,
    onError: (error, session) =>
      log.error({ session, reason: reasonOf(error) }, 'reading the webhooks of a gained session failed'),
  })

  return {
    start: owned.start,
    isPending: owned.isPending,
    ready: owned.ready,
    stop: owned.stop,
    load,
    async configure(classes) {
      // Sealed under the master key itself: sealed anew, they survive the removal of an old key.
      await Promise.all(global().map(store))
      const { globalUrl: url, globalSecret: secret, globalIncludeToken } = config
      const before = byId.get(CONFIGURED)
      const subscribe = classes.length > 0 ? classes : ['All']
      const given = {
        url,
        subscribe,
        secret,
        format: config.format,
        includesToken: globalIncludeToken,
      }
      if (url) await store({ ...blank(''), ...before, ...ACTIVE, ...given, id: CONFIGURED })
      else if (before) await remove(CONFIGURED)
    },
    all: () => [...byId.values()],
    byId: (id) => byId.get(id),
    of,
    global,
    receivers: (session) => [...of(session), ...global()],
    async main(session) {
      const found = of(session).find(({ isMain }) => isMain)
      if (found) return found
      const { id, webhook: url, subscribe } = session
      return store({ ...blank(id), id, isMain: true, url, subscribe, format: config.format })
    },
    async add(session, fields) {
      const others = session ? of(session).filter(({ isMain }) => !isMain) : global()
      if (others.length >= MAX_ENDPOINTS)
        throw gatewayError('FIELD_INVALID', ['URL', `at most ${MAX_ENDPOINTS} are allowed`])
      const id = `ep_${randomBytes(9).toString('base64url')}`
      return store({ ...blank(session?.id ?? ''), ...fields, id, secret: newSecret() })
    },
    async addNamed(session, fields) {
      const endpoint = byId.get(fields.id) ?? cache({ ...blank(session.id), ...fields })
      await write(endpoint.id, db.add('endpoints', ['id'], [toRow(vault, endpoint)]), { isFromAnyNode: true })
      return endpoint
    },
    async change(id, change) {
      const before = byId.get(id)
      if (!before) throw gatewayError('ITEM_UNKNOWN', ['Endpoint'])
      return store({ ...before, ...change })
    },
    remove,
  }
}

function isSame(endpoint: Endpoint, known: Endpoint | undefined): boolean {
  // The table has outdated values for the address and the classes of a session's own webhook.
  const given = endpoint.isMain && known ? { url: known.url, subscribe: known.subscribe } : {}
  return isDeepStrictEqual({ ...endpoint, ...given }, known)
}

/** Takes the address and the classes of the session's own webhook from the session. */
function isCurrent({ isMain, url, subscribe }: Endpoint, session: Session): boolean {
  return !isMain || (url === session.webhook && subscribe === session.subscribe)
}

export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** The defaults of an endpoint. */
export function blank(session: string): Omit<Endpoint, 'id' | 'url'> {
  return {
    session,
    isMain: false,
    format: NATIVE,
    edits: '',
    events: [],
    transform: {},
    subscribe: ['All'],
    filter: {},
    headers: {},
    includesToken: false,
    isByKey: false,
    secret: '',
    oldSecret: '',
    oldUntil: 0,
    ...ACTIVE,
  }
}

/** Undefined for an endpoint of a session unknown to this process. */
function openRow(vault: Vault, row: Row): Endpoint | undefined {
  try {
    return fromRow(vault, row)
  } catch (error) {
    if (isGatewayError(error) && error.code === 'SESSION_UNKNOWN') return undefined
    throw error
  }
}
