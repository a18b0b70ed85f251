import { withTimeout } from '../async/time-out.ts'
import { type ErrorCode, gatewayError, reasonOf } from '../errors.ts'
import type { Ownership } from '../types/ownership.ts'
import type { Peers } from '../types/peers.ts'
import type { RemovedSession, Session, Sessions, StateChange } from '../types/session.ts'
import type { Client } from './client.ts'
import { createLauncher, type Launcher, type LauncherParts, WAIT_MS } from './launcher.ts'
import { createServing, type Serving } from './owned.ts'
import { isToConnect, type SessionRow } from './session-row.ts'
import type { SessionStore } from './store.ts'
import { asksPasskey, failed, hasAnswer, SessionView } from './view.ts'

export interface SessionManager extends Sessions {
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
  /**
   * A session that another process serves, as last read, with a socket that stores messages to send; undefined if this
   * process serves it. Rejects NOT_OWNED if it is not linked or should not be connected, as the socket does for everything
   * else.
   */
  remote(id: string): Promise<Session | undefined>
  /** Rejects NOT_OWNED, with the id as its details, if another process serves the session. */
  assertOwned(id: string): void
  /** Waits at most `ms` for a linked session that is connecting, and resolves with its state then. */
  waitUntilConnected(id: string, ms: number): Promise<Session>
}

export interface ManagerParts extends Omit<LauncherParts, 'serving' | 'onChange'> {
  ownership: () => Ownership
  peers: Pick<Peers, 'notify' | 'listen'>
}

/** Tokens were replaced, or sessions removed. */
const TOKENS_TOPIC = 'session-tokens'

/** Time limit of the network for connecting the session, and then for unlinking its device. */
const UNLINK_MS = 7_000

export function createSessionManager(parts: ManagerParts): SessionManager {
  const { driver, store, peers, log } = parts
  const serving = createServing(parts.ownership)
  const listeners = new Set<(change: StateChange) => void>()
  const onChange = (change: StateChange): void => {
    for (const listener of listeners) listener(change)
  }
  const launcher = createLauncher({ ...parts, serving, onChange })
  const removal = createRemoval(launcher, serving, parts)
  const { stopping, view } = launcher.clients
  let unlisten = (): void => undefined

  /** The serving process has the truth in memory: only it changes the row. */
  function assertServed(id: string): void {
    if (store.byId(id)) serving.assertOwned(id)
  }

  /** Ends the streams whose tokens another process has replaced. */
  async function recheck(): Promise<void> {
    const ids = store.withStreams().filter((id) => !serving.owns(id))
    await Promise.all(ids.map(store.refresh)).catch((error: unknown) =>
      log.warn({ reason: reasonOf(error) }, 'tokens of open streams not read again'),
    )
  }

  return {
    ...createLookup(launcher, serving, store),
    ...createLinking(launcher, store),
    async remote(id) {
      if (serving.owns(id)) return undefined
      const row = store.rowOf(id)
      const { network, remote } = driver()
      const isLinked = row.autoConnect && row.jid && row.network === network
      if (!remote || !isLinked) throw serving.refusal(id)
      const socket = remote(row, () => serving.refusal(id))
      return new SessionView(row, () => undefined, socket)
    },
    assertOwned: serving.assertOwned,
    hasToken: (id, token) => store.byToken(token)?.id === id,
    tokenEnded: store.tokenEnded,
    stopping,
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    create: async (fields) => view(await store.create(fields)),
    async update(id, change) {
      assertServed(id)
      return view(await store.update(id, change))
    },
    async rotateToken(id, graceMs) {
      assertServed(id)
      const row = await store.rotateToken(id, graceMs)
      peers.notify(TOKENS_TOPIC)
      return view(row)
    },
    async remove(id) {
      const removed = await removal(id)
      peers.notify(TOKENS_TOPIC)
      return removed
    },
    async restore() {
      unlisten = peers.listen(TOKENS_TOPIC, () => void recheck())
      await launcher.restore()
    },
    async stop() {
      unlisten()
      await launcher.stop()
    },
  }
}

/** The same order in every process. */
const byCreation = (a: SessionRow, b: SessionRow): number =>
  a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1

type Lookup = Pick<Sessions, 'list' | 'served' | 'byToken' | 'byId' | 'named' | 'current'>

/** Finds sessions. */
function createLookup({ clients, gained }: Launcher, { owns }: Serving, store: SessionStore): Lookup {
  const { view } = clients
  const shown = (rows: SessionRow[]): Session[] => rows.sort(byCreation).map(view)
  const shownIf = (row: SessionRow | undefined): Session | undefined => row && view(row)
  const lookup: Lookup = {
    async list() {
      await store.sync(owns)
      return shown(store.all())
    },
    served: () => shown(store.all().filter(({ id }) => owns(id))),
    async byToken(token) {
      const row = await store.find({ token })
      if (!row || !gained.isPending(row.id)) return shownIf(row)
      await gained.ready(row.id)
      return lookup.byToken(token)
    },
    byId: async (id) => shownIf(await store.find({ id })),
    async named(idOrName, isMeant = () => true) {
      const byId = await lookup.byId(idOrName)
      if (byId && isMeant(byId)) return byId
      const all = await lookup.list()
      const [first, ...more] = all.filter((one) => one.name === idOrName && isMeant(one))
      if (more.length > 0) throw gatewayError('SESSION_AMBIGUOUS', [idOrName])
      return first
    },
    async current(id) {
      await (owns(id) ? gained.ready(id) : store.refresh(id))
      return shownIf(store.byId(id))
    },
  }
  return lookup
}

type Linking = Pick<
  SessionManager,
  'connect' | 'pair' | 'qr' | 'disconnect' | 'logout' | 'waitUntilConnected'
>

/** Opens and ends links on request. */
function createLinking({ clients, launch }: Launcher, store: SessionStore): Linking {
  /** Starts the client of a session that no phone has linked; rejects `linked` where one has. */
  async function unlinked(id: string, linked: ErrorCode, isReady: (c: Client) => boolean): Promise<Client> {
    // The state changes as soon as a link ends, the row only later.
    await clients.get(id)?.idle()
    if (store.rowOf(id).jid) throw gatewayError(linked)
    const client = await launch(id, true)
    await client.waitFor((c) => asksPasskey(c) || (hasAnswer(c) && isReady(c)), WAIT_MS)
    if (client.state === 'open') throw gatewayError(linked)
    if (asksPasskey(client)) throw gatewayError('PASSKEY_REQUIRED')
    return client
  }

  return {
    async connect(id, { wait }) {
      const client = await launch(id, true)
      if (wait) {
        const answered = await client.waitFor(hasAnswer, WAIT_MS)
        if (!answered || !['open', 'scan'].includes(client.state)) throw failed('Connect', client)
      }
      return clients.view(store.rowOf(id))
    },
    async pair(id, phone) {
      const client = await unlinked(id, 'ALREADY_PAIRED', (c) => !!c.socket)
      if (!client.socket) throw failed('pair', client)
      return client.pairingCode(phone)
    },
    async qr(id) {
      clients.of(id)
      const client = await unlinked(id, 'ALREADY_LOGGED_IN', (c) => c.state !== 'code' || !!c.details.qr)
      if (!client.details.qr) throw failed('get a QR code', client)
      return client.details.qr
    },
    async disconnect(id) {
      const client = clients.of(id)
      clients.take(id)
      await store.clearEnded(id, { autoConnect: false })
      await client.disconnect()
      // The link may have ended by itself before that, and its end been stored after it was cleared.
      if (store.byId(id)?.ended) await store.clearEnded(id, {})
    },
    async logout(id) {
      const client = clients.of(id)
      if (client.state !== 'open') throw gatewayError('NOT_LOGGED_IN')
      await client.logout()
    },
    async waitUntilConnected(id, ms) {
      const row = store.rowOf(id)
      // Not restored yet: a request that needs the link does not wait until it is its turn.
      const client = clients.get(id) ?? (isToConnect(row) ? await launch(id) : clients.of(id))
      const isConnecting = (c: Client): boolean => c.state === 'connecting' || c.state === 'waiting'
      if (row.jid && isConnecting(client)) await client.waitFor((c) => !isConnecting(c), ms)
      return clients.view(store.rowOf(id))
    },
  }
}

/** Removes sessions, even while the network is down: the device then stays on the phone's list. */
function createRemoval({ clients, launch }: Launcher, serving: Serving, parts: ManagerParts) {
  const { driver, store, log } = parts
  /** The client with an open link; without one, the session is connected once. */
  async function connected(id: string): Promise<Client> {
    const known = clients.get(id)
    if (known?.state === 'open') return known
    await clients.take(id)?.stop()
    const client = await launch(id)
    await client.waitFor(({ state }) => state !== 'connecting', UNLINK_MS)
    if (client.state !== 'open') throw new Error(client.details.reason || 'the network did not answer')
    return client
  }

  async function unlink(id: string): Promise<void> {
    // Connecting would end the other connection, which may belong to a gateway to which the session has moved.
    if (clients.view(store.rowOf(id)).state === 'replaced')
      throw new Error('another connection has taken its place')
    const client = await connected(id)
    await withTimeout(client.logout(), UNLINK_MS, () => {
      throw new Error('the network did not answer')
    })
  }

  return async (id: string): Promise<RemovedSession> => {
    await serving.claim(id)
    // The phone may have unlinked it a moment ago: the state changes first, the row later.
    await clients.get(id)?.idle()
    const { name, jid } = clients.view(store.rowOf(id))
    const unlinkFault = jid ? await unlink(id).then(() => '', reasonOf) : undefined
    if (unlinkFault) log.warn({ session: id, reason: unlinkFault }, 'device not unlinked on delete')
    await clients.take(id)?.stop()
    await driver().forget(id, 'removed')
    await store.remove(id)
    return { id, name, jid, unlinkFault }
  }
}
