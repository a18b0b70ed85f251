import { type ErrorCode, type GatewayError, gatewayError, reasonOf } from '../errors.ts'
import type { Driver, Log } from '../types/driver.ts'
import type { Events } from '../types/events.ts'
import type { Ownership } from '../types/ownership.ts'
import type { Session, Sessions, StateChange } from '../types/session.ts'
import { PACE, type Pace } from './backoff.ts'
import { type Client, createClient } from './client.ts'
import { type RemoteSessions, remoteOf } from './remote.ts'
import type { SessionRow } from './session-row.ts'
import type { SessionStore } from './store.ts'
import { asksPasskey, hasAnswer, view } from './view.ts'

export interface SessionManager extends Sessions, RemoteSessions {
  /**
   * Connects the sessions that were connected before the last stop, a few at a time; resolves when all have started. From then
   * on, connects those that this process gains, and ends the links of those that it loses.
   */
  restore(): Promise<void>
  /** Ends every link at once; all stay linked. */
  stop(): Promise<void>
  /** Aborted when the token of a session ceases to be valid. */
  tokenEnded(token: string): AbortSignal
  /** Rejects NOT_OWNED, with the id as its details, if another process serves the session. */
  assertOwned(id: string): void
  /** Waits, at most `ms`, for a linked session that is connecting; answers it as it is then. */
  waitUntilConnected(id: string, ms: number): Promise<Session>
}

export interface ManagerParts {
  /** Looked up at each use: plugins get the sessions before the driver's plugin has started. */
  driver: () => Driver
  ownership: () => Ownership
  store: SessionStore
  raise: Events['raise']
  log: Log
  pace?: Pace
}

/** How long `connect` and `qr` wait for the network. */
const WAIT_MS = 10_000
/** Links opened at once while restoring: enough to use the core while each waits for the network, some ten times. */
const RESTORE_AT_ONCE = 20

export function createSessionManager(parts: ManagerParts): SessionManager {
  const { driver, ownership, store, log } = parts
  const clients = new Map<string, Client>()
  const listeners = new Set<(change: StateChange) => void>()
  /** Rows of gained sessions that are being read again: another process may have changed them. */
  const refreshing = new Map<string, Promise<void>>()
  /** Of sessions that were lost: a link that is gained again must not begin beside the last one. */
  const ending = new Map<string, Promise<void> | undefined>()
  let unwatch = (): void => undefined
  const onChange = (change: StateChange): void => {
    for (const listener of listeners) listener(change)
  }

  const rowOf = (id: string): SessionRow => {
    const row = store.byId(id)
    if (!row) throw gatewayError('SESSION_UNKNOWN')
    return row
  }
  const show = (row: SessionRow): Session => view(row, clients.get(row.id))
  const clientOf = (id: string): Client => {
    const client = clients.get(id)
    if (!client) throw gatewayError('NO_CLIENT')
    return client
  }
  const holds = (id: string): boolean => ownership().holds?.(id) ?? true
  const notOwned = (id: string): GatewayError => gatewayError('NOT_OWNED', [], { details: id })

  /** A link that is opened without the lease would end the owner's. */
  async function own(id: string): Promise<void> {
    const { owns, claim } = ownership()
    if (!(claim ? await claim(id) : owns(id))) throw notOwned(id)
  }

  function gained(id: string): Promise<void> {
    const done = store.refresh(id).finally(() => refreshing.delete(id))
    refreshing.set(id, done)
    done
      .then(async () => {
        const row = store.byId(id)
        if (row?.autoConnect && row.jid && row.network === driver().network) await launch(id)
      })
      .catch((error: unknown) => log.error({ session: id, reason: reasonOf(error) }, 'not restored'))
    return done
  }

  async function lost(id: string): Promise<void> {
    ending.set(id, clients.get(id)?.stop('served by another process'))
    clients.delete(id)
    await ending.get(id)
  }

  async function launch(id: string): Promise<Client> {
    await ending.get(id)
    await own(id)
    const row = rowOf(id)
    const { network } = driver()
    if (row.network && row.network !== network) {
      throw gatewayError('OTHER_NETWORK', [row.network, network])
    }
    let client = clients.get(id)
    if (!client) {
      const { raise, pace = PACE } = parts
      client = createClient(id, { driver: driver(), own, holds, store, raise, onChange, log, pace })
      clients.set(id, client)
    }
    // Work that the last link left would delete the keys of the next one, and clear autoConnect.
    await client.idle()
    if (!rowOf(id).autoConnect) await store.update(id, { autoConnect: true })
    client.start()
    return client
  }

  /** Starts the client of a session that no phone has linked; rejects `linked` where one has. */
  async function launchUnlinked(id: string, linked: ErrorCode): Promise<Client> {
    // The state changes as soon as a link ends, the row only after that.
    await clients.get(id)?.idle()
    if (rowOf(id).jid) throw gatewayError(linked)
    return launch(id)
  }

  const manager: SessionManager = {
    create: async (fields) => show(await store.create(fields)),
    async list() {
      await store.sync(ownership().owns)
      return store.all().map(show)
    },
    async byToken(token) {
      const row = await store.find({ token })
      if (!row || !refreshing.has(row.id)) return row && show(row)
      await refreshing.get(row.id)
      return manager.byToken(token)
    },
    async byId(id) {
      const row = await store.find({ id })
      return row && show(row)
    },
    update: async (id, change) => show(await store.update(id, change)),
    rotateToken: async (id, graceMs) => show(await store.rotateToken(id, graceMs)),
    tokenEnded: store.tokenEnded,

    async connect(id, { wait }) {
      const client = await launch(id)
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
      await store.update(id, { autoConnect: false })
      await client.stop('disconnected on request')
    },

    async logout(id) {
      const client = clientOf(id)
      if (client.state !== 'open') throw gatewayError('NOT_LOGGED_IN')
      await client.logout()
    },

    async remove(id) {
      await own(id)
      const last = show(rowOf(id))
      const client = clients.get(id)
      clients.delete(id)
      // Best effort: a network that is down must not keep an operator from deleting a session.
      if (client?.state === 'open') {
        await client
          .logout()
          .catch((error: unknown) => log.warn({ session: id, err: error }, 'logout on delete failed'))
      }
      await client?.stop()
      await driver().forget(id, 'removed')
      await store.remove(id)
      return last
    },

    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    assertOwned(id) {
      if (!ownership().owns(id)) throw notOwned(id)
    },
    remote: remoteOf({ driver, ownership, store, show, notOwned }),
    async waitUntilConnected(id, ms) {
      const row = rowOf(id)
      // Not restored yet: a request that needs the link does not wait for its turn.
      const client = clients.get(id) ?? (row.autoConnect && row.jid ? await launch(id) : clientOf(id))
      const isConnecting = (c: Client): boolean => c.state === 'connecting' || c.state === 'waiting'
      if (row.jid && isConnecting(client)) await client.waitFor((c) => !isConnecting(c), ms)
      return show(rowOf(id))
    },

    async restore() {
      const { owns, watch } = ownership()
      unwatch = watch((id, isOwned) => (isOwned ? gained(id) : lost(id)))
      const waiting = store.all().filter((row) => row.autoConnect && row.jid && owns(row.id))
      if (waiting.length === 0) return
      const { network } = driver()
      const foreign = (row: SessionRow): boolean => row.network !== network
      for (const row of waiting.filter(foreign))
        log.warn({ session: row.id, linkedOn: row.network, network }, 'not restored: other network')
      const queue = waiting.filter((row) => !foreign(row))
      const worker = async (): Promise<void> => {
        for (let row = queue.shift(); row && store.byId(row.id); row = queue.shift())
          await (await launch(row.id)).waitFor((c) => c.state !== 'connecting', WAIT_MS)
      }
      await Promise.all(Array.from({ length: RESTORE_AT_ONCE }, worker))
    },

    async stop() {
      unwatch()
      const running = [...clients.values()]
      clients.clear()
      await Promise.all(running.map((client) => client.stop()))
    },
  }
  return manager
}

function failed(what: string, { details }: Client): Error {
  return gatewayError('NETWORK_FAILED', [what, details.reason || 'no answer in time'])
}
