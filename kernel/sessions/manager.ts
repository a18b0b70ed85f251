import { type ErrorCode, gatewayError } from '../errors.ts'
import type { Driver, Log } from '../types/driver.ts'
import type { Events } from '../types/events.ts'
import type { Session, Sessions } from '../types/session.ts'
import { PACE, type Pace } from './backoff.ts'
import { type Client, createClient } from './client.ts'
import type { SessionRow, SessionStore } from './store.ts'
import { view } from './view.ts'

export interface SessionManager extends Sessions {
  /** Brings back every client that ran before the last stop, a few at a time. Resolves when all were started. */
  restore(): Promise<void>
  /** Ends every link at once; all stay linked. */
  stop(): Promise<void>
  /** Waits, at most `ms`, for a linked session that is on its way up. */
  settle(id: string, ms: number): Promise<Session>
}

export interface ManagerParts {
  /** Asked at each use: plugins hold the sessions before one of them has brought the driver. */
  driver: () => Driver
  store: SessionStore
  raise: Events['raise']
  log: Log
  pace?: Pace
  random?: () => number
}

/** How long `connect` and `qr` wait for the network. */
const WAIT_MS = 10_000
/** Links opened at once while restoring: more only raises the latency of each (they share one core). */
const RESTORE_AT_ONCE = 5

export function createSessionManager(parts: ManagerParts): SessionManager {
  const { driver, store, log } = parts
  const clients = new Map<string, Client>()

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

  async function launch(id: string): Promise<Client> {
    const row = rowOf(id)
    const { network } = driver()
    if (row.network && row.network !== network) {
      throw gatewayError('OTHER_NETWORK', [row.network, network])
    }
    let client = clients.get(id)
    if (!client) {
      const { raise, pace = PACE, random = Math.random } = parts
      client = createClient(id, { driver: driver(), store, raise, log, pace, random })
      clients.set(id, client)
    }
    // What the last link left to do would forget the keys of the next one, and that it is wanted.
    await client.idle()
    if (!rowOf(id).wanted) await store.update(id, { wanted: true })
    client.start()
    return client
  }

  /** Starts the client of a session that no phone has linked; rejects `linked` where one has. */
  async function launchUnlinked(id: string, linked: ErrorCode): Promise<Client> {
    // The end of a link shows before its account is forgotten.
    await clients.get(id)?.idle()
    if (rowOf(id).jid) throw gatewayError(linked)
    return launch(id)
  }

  const hasAnswer = ({ state, qr }: Client): boolean => state !== 'connecting' && (state !== 'scan' || !!qr)

  return {
    create: async (fields) => show(await store.create(fields)),
    list: async () => store.all().map(show),
    async byToken(token) {
      const row = store.byToken(token)
      return row && show(row)
    },
    async byId(id) {
      const row = store.byId(id)
      return row && show(row)
    },
    update: async (id, change) => show(await store.update(id, change)),

    async connect(id, { wait }) {
      const client = await launch(id)
      if (wait) {
        const answered = await client.until(hasAnswer, WAIT_MS)
        const up = client.state === 'open' || client.state === 'scan'
        if (!answered || !up)
          throw gatewayError('NETWORK_FAILED', ['Connect', client.reason || 'no answer in time'])
      }
      return show(rowOf(id))
    },

    async pair(id, phone) {
      const client = await launchUnlinked(id, 'ALREADY_PAIRED')
      await client.until((c) => c.state === 'passkey' || (hasAnswer(c) && !!c.socket), WAIT_MS)
      if (client.state === 'open') throw gatewayError('ALREADY_PAIRED')
      if (client.state === 'passkey') throw gatewayError('PASSKEY_REQUIRED')
      if (!client.socket) throw gatewayError('NETWORK_FAILED', ['pair', client.reason || 'no answer in time'])
      return client.pairingCode(phone)
    },

    async qr(id) {
      clientOf(id)
      const client = await launchUnlinked(id, 'ALREADY_LOGGED_IN')
      await client.until((c) => hasAnswer(c) && (c.state !== 'code' || !!c.qr), WAIT_MS)
      if (client.state === 'open') throw gatewayError('ALREADY_LOGGED_IN')
      if (client.state === 'passkey') throw gatewayError('PASSKEY_REQUIRED')
      if (!client.qr)
        throw gatewayError('NETWORK_FAILED', ['get a QR code', client.reason || 'no answer in time'])
      return client.qr
    },

    async disconnect(id) {
      const client = clientOf(id)
      clients.delete(id)
      await store.update(id, { wanted: false })
      await client.stop()
    },

    async logout(id) {
      const client = clientOf(id)
      if (client.state !== 'open') throw gatewayError('NOT_LOGGED_IN')
      await client.logout()
    },

    async remove(id) {
      const last = show(rowOf(id))
      const client = clients.get(id)
      clients.delete(id)
      // Best effort: a dead network must not keep an operator from deleting.
      if (client?.state === 'open') {
        await client
          .logout()
          .catch((error: unknown) => log.warn({ session: id, err: error }, 'logout on delete failed'))
      }
      await client?.stop()
      await driver().forget(id)
      await store.remove(id)
      return last
    },

    async settle(id, ms) {
      const row = rowOf(id)
      // Not restored yet: the request that needs it brings it up first.
      const client = clients.get(id) ?? (row.wanted && row.jid ? await launch(id) : clientOf(id))
      const onItsWay = (c: Client): boolean => c.state === 'connecting' || c.state === 'waiting'
      if (row.jid && onItsWay(client)) await client.until((c) => !onItsWay(c), ms)
      return show(rowOf(id))
    },

    async restore() {
      const waiting = store.all().filter((row) => row.wanted && row.jid)
      if (waiting.length === 0) return
      const { network } = driver()
      const foreign = (row: SessionRow): boolean => row.network !== network
      for (const row of waiting.filter(foreign)) {
        log.warn({ session: row.id, linkedOn: row.network, network }, 'not restored: other network')
      }
      const queue = waiting.filter((row) => !foreign(row))
      const worker = async (): Promise<void> => {
        for (let row = queue.shift(); row && store.byId(row.id); row = queue.shift()) {
          const client = await launch(row.id)
          await client.until((c) => c.state !== 'connecting', WAIT_MS)
        }
      }
      await Promise.all(Array.from({ length: RESTORE_AT_ONCE }, worker))
    },

    async stop() {
      const running = [...clients.values()]
      clients.clear()
      await Promise.all(running.map((client) => client.stop()))
    },
  }
}
