import type { Backoff } from '../async/backoff.ts'
import { type ErrorCode, type GatewayError, gatewayError, reasonOf } from '../errors.ts'
import type { Driver, Log } from '../types/driver.ts'
import type { Events } from '../types/events.ts'
import type { Ownership } from '../types/ownership.ts'
import type { Peers } from '../types/peers.ts'
import type { Session, Sessions, StateChange } from '../types/session.ts'
import { LINK_BACKOFF } from './backoff.ts'
import { type Client, createClient } from './client.ts'
import { createOwned } from './owned.ts'
import { type RemoteSessions, remoteOf } from './remote.ts'
import { removerOf } from './remove.ts'
import { isToConnect, type SessionRow } from './session-row.ts'
import type { SessionStore } from './store.ts'
import { asksPasskey, failed, hasAnswer, SessionView } from './view.ts'

export interface SessionManager extends Sessions, RemoteSessions {
  /**
   * Connects the sessions that were connected before the last stop, a few at a time; resolves when all have started. From
   * then on it connects sessions that this process gains, and ends the links of those that it loses.
   */
  restore(): Promise<void>
  /** Ends every link at once and opens no more; all devices stay linked. */
  stop(): Promise<void>
  /** Sessions whose links have not ended yet. */
  stopping(): string[]
  /** Whether the token is valid for the session, as this process knows it. */
  hasToken(id: string, token: string): boolean
  /** Aborted when the token of a session becomes invalid. */
  tokenEnded(token: string): AbortSignal
  /** Rejects NOT_OWNED, with the id as its details, if another process serves the session. */
  assertOwned(id: string): void
  /** Waits at most `ms` for a linked session that is connecting, and resolves with its state then. */
  waitUntilConnected(id: string, ms: number): Promise<Session>
}

export interface ManagerParts {
  /** Looked up at each use: plugins receive the sessions before the driver's plugin has started. */
  driver: () => Driver
  ownership: () => Ownership
  store: SessionStore
  raise: Events['raise']
  log: Log
  peers: Pick<Peers, 'notify' | 'listen'>
  reconnect?: Backoff
}

/** The same order in every process. */
const byCreation = (a: SessionRow, b: SessionRow): number =>
  a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1

/** Tokens were replaced, or sessions removed. */
const TOKENS_TOPIC = 'session-tokens'

/** How long `connect` and `qr` wait for the network. */
const WAIT_MS = 10_000

export function createSessionManager(parts: ManagerParts): SessionManager {
  const { driver, ownership, store, log } = parts
  const clients = new Map<string, Client>()
  const listeners = new Set<(change: StateChange) => void>()
  let unlisten = (): void => undefined
  let stopping: Map<string, Client> | undefined
  const onChange = (change: StateChange): void => {
    for (const listener of listeners) listener(change)
  }

  const rowOf = (id: string): SessionRow => {
    const row = store.byId(id)
    if (!row) throw gatewayError('SESSION_UNKNOWN')
    return row
  }
  const views = new WeakMap<SessionRow, Session>()
  const show = (row: SessionRow): Session => {
    const known = views.get(row)
    if (known) return known
    const view = new SessionView(row, () => clients.get(row.id))
    views.set(row, view)
    return view
  }
  const shown = (rows: SessionRow[]): Session[] => rows.sort(byCreation).map(show)
  const clientOf = (id: string): Client => {
    const client = clients.get(id)
    if (client) return client
    // Restored from before the process start: callers can react to how its link ended.
    if (!store.byId(id)?.ended) throw gatewayError('NO_CLIENT')
    return make(id)
  }
  const holds = (id: string): boolean => ownership().holds?.(id) ?? true
  const notOwned = (id: string): GatewayError => gatewayError('NOT_OWNED', [], { details: id })

  /** The serving process has the truth in memory: only it changes the row. */
  function assertServed(id: string): void {
    if (store.byId(id) && !ownership().owns(id)) throw notOwned(id)
  }

  /** A link opened without the lease would end the owner's link. */
  async function own(id: string): Promise<void> {
    const { owns, claim } = ownership()
    if (!(claim ? await claim(id) : owns(id))) throw notOwned(id)
  }

  /** Rows of gained sessions are read again, since another process may have changed them. */
  const owned = createOwned({
    ownership: { watch: (listener) => ownership().watch(listener) },
    async open(id) {
      await store.refresh(id)
      void restoreOne(id)
    },
    close(id) {
      const client = clients.get(id)
      clients.delete(id)
      return client?.stop('served by another process')
    },
    onError: (error, session) => log.error({ session, reason: reasonOf(error) }, 'gained session not read'),
  })

  /** Ends the streams whose tokens another process has replaced. */
  async function recheck(): Promise<void> {
    const ids = store.withStreams().filter((id) => !ownership().owns(id))
    await Promise.all(ids.map(store.refresh)).catch((error: unknown) =>
      log.warn({ reason: reasonOf(error) }, 'tokens of open streams not read again'),
    )
  }

  async function restoreOne(id: string): Promise<void> {
    const row = store.byId(id)
    if (!row || !isToConnect(row) || row.network !== driver().network) return
    await launch(id).catch((error: unknown) =>
      log.error({ session: id, reason: reasonOf(error) }, 'not restored'),
    )
  }

  function make(id: string): Client {
    const { raise, reconnect = LINK_BACKOFF } = parts
    const client = createClient(id, { driver: driver(), own, holds, store, raise, onChange, log, reconnect })
    clients.set(id, client)
    return client
  }

  /** @param isAsked by a caller, who may know that the cause of a final end is gone. */
  async function launch(id: string, isAsked = false): Promise<Client> {
    // A regained session must not open a link next to its last one.
    await owned.ready(id)
    await own(id)
    if (stopping) throw gatewayError('STOPPING')
    const row = rowOf(id)
    const { network } = driver()
    if (row.network && row.network !== network) throw gatewayError('OTHER_NETWORK', [row.network, network])
    const client = clients.get(id) ?? make(id)
    // Work left by the last link would delete the keys of the next one and clear autoConnect.
    await client.idle()
    const { autoConnect, ended } = rowOf(id)
    if (!autoConnect || (isAsked && ended)) await store.clearEnded(id, { autoConnect: true })
    client.start()
    return client
  }

  /** Starts the client of a session that no phone has linked; rejects `linked` where one has. */
  async function launchUnlinked(id: string, linked: ErrorCode): Promise<Client> {
    // The state changes as soon as a link ends, the row only later.
    await clients.get(id)?.idle()
    if (rowOf(id).jid) throw gatewayError(linked)
    return launch(id, true)
  }

  const removing = removerOf({ driver, store, clients, rowOf, show, own, launch, log })
  const manager: SessionManager = {
    create: async (fields) => show(await store.create(fields)),
    async list() {
      await store.sync(ownership().owns)
      return shown(store.all())
    },
    served() {
      const { owns } = ownership()
      return shown(store.all().filter(({ id }) => owns(id)))
    },
    async byToken(token) {
      const row = await store.find({ token })
      if (!row || !owned.isPending(row.id)) return row && show(row)
      await owned.ready(row.id)
      return manager.byToken(token)
    },
    async byId(id) {
      const row = await store.find({ id })
      return row && show(row)
    },
    async named(idOrName, isMeant = () => true) {
      const byId = await manager.byId(idOrName)
      if (byId && isMeant(byId)) return byId
      const all = await manager.list()
      const [first, ...more] = all.filter((one) => one.name === idOrName && isMeant(one))
      if (more.length > 0) throw gatewayError('SESSION_AMBIGUOUS', [idOrName])
      return first
    },
    async current(id) {
      const isHere = ownership().owns(id)
      await (isHere ? owned.ready(id) : store.refresh(id))
      const row = store.byId(id)
      return row && show(row)
    },
    hasToken: (id, token) => store.byToken(token)?.id === id,
    async update(id, change) {
      assertServed(id)
      return show(await store.update(id, change))
    },
    async rotateToken(id, graceMs) {
      assertServed(id)
      const row = await store.rotateToken(id, graceMs)
      parts.peers.notify(TOKENS_TOPIC)
      return show(row)
    },
    tokenEnded: store.tokenEnded,

    async connect(id, { wait }) {
      const client = await launch(id, true)
      if (wait) {
        const answered = await client.waitFor(hasAnswer, WAIT_MS)
        if (!answered || !['open', 'scan'].includes(client.state)) throw failed('Connect', client)
      }
      return show(rowOf(id))
    },

    async pair(id, phone) {
      const client = await launchUnlinked(id, 'ALREADY_PAIRED')
      await client.waitFor((c) => asksPasskey(c) || (hasAnswer(c) && !!c.socket), WAIT_MS)
      if (client.state === 'open') throw gatewayError('ALREADY_PAIRED')
      if (asksPasskey(client)) throw gatewayError('PASSKEY_REQUIRED')
      if (!client.socket) throw failed('pair', client)
      return client.pairingCode(phone)
    },

    async qr(id) {
      clientOf(id)
      const client = await launchUnlinked(id, 'ALREADY_LOGGED_IN')
      await client.waitFor((c) => hasAnswer(c) && (c.state !== 'code' || !!c.details.qr), WAIT_MS)
      if (client.state === 'open') throw gatewayError('ALREADY_LOGGED_IN')
      if (asksPasskey(client)) throw gatewayError('PASSKEY_REQUIRED')
      if (!client.details.qr) throw failed('get a QR code', client)
      return client.details.qr
    },

    async disconnect(id) {
      const client = clientOf(id)
      clients.delete(id)
      await store.clearEnded(id, { autoConnect: false })
      await client.disconnect()
      // The link may have ended by itself before that, and its end been stored after it was cleared.
      if (store.byId(id)?.ended) await store.clearEnded(id, {})
    },

    async logout(id) {
      const client = clientOf(id)
      if (client.state !== 'open') throw gatewayError('NOT_LOGGED_IN')
      await client.logout()
    },

    async remove(id) {
      const removed = await removing(id)
      parts.peers.notify(TOKENS_TOPIC)
      return removed
    },

    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    assertOwned(id) {
      if (!ownership().owns(id)) throw notOwned(id)
    },
    remote: remoteOf({ driver, ownership, store, notOwned }),
    async waitUntilConnected(id, ms) {
      const row = rowOf(id)
      // Not restored yet: a request that needs the link does not wait until it is its turn.
      const client = clients.get(id) ?? (isToConnect(row) ? await launch(id) : clientOf(id))
      const isConnecting = (c: Client): boolean => c.state === 'connecting' || c.state === 'waiting'
      if (row.jid && isConnecting(client)) await client.waitFor((c) => !isConnecting(c), ms)
      return show(rowOf(id))
    },

    async restore() {
      unlisten = parts.peers.listen(TOKENS_TOPIC, () => void recheck())
      owned.start()
      const waiting = store.all().filter((row) => isToConnect(row) && ownership().owns(row.id))
      if (waiting.length === 0) return
      await restoreAll(waiting, {
        network: driver().network,
        open: async (id) => (await launch(id)).waitFor((c) => c.state !== 'connecting', WAIT_MS),
        isWanted: (id) => store.byId(id) !== undefined && !stopping,
        log,
      })
    },

    async stop() {
      unlisten()
      void owned.stop()
      stopping ??= new Map(clients)
      clients.clear()
      const ends = [...stopping].map(([id, one]) => one.stop().finally(() => stopping?.delete(id)))
      await Promise.all(ends)
    },
    stopping: () => [...(stopping?.keys() ?? [])],
  }
  return manager
}

interface RestoreParts {
  /** Name of the network on which links are opened. */
  network: string
  /** Opens the link of a session; resolves when that has ended or takes long. */
  open(id: string): Promise<unknown>
  /** Whether a session must still be restored when its turn comes. */
  isWanted(id: string): boolean
  log: Log
}

/** Links opened at once: enough to keep the core busy while each waits for some ten round trips. */
const AT_ONCE = 20

/** Connects sessions that were connected before the last stop, a few at a time; resolves when all have started. */
async function restoreAll(
  waiting: readonly SessionRow[],
  { network, open, isWanted, log }: RestoreParts,
): Promise<void> {
  const foreign = (row: SessionRow): boolean => row.network !== network
  for (const row of waiting.filter(foreign))
    log.warn({ session: row.id, linkedOn: row.network, network }, 'not restored: other network')
  const queue = waiting.filter((row) => !foreign(row))
  const worker = async (): Promise<void> => {
    for (let row = queue.shift(); row && isWanted(row.id); row = queue.shift()) await open(row.id)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}
