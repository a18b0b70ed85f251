import type { Backoff } from '../async/backoff.ts'
import { gatewayError, reasonOf } from '../errors.ts'
import type { Driver } from '../types/driver.ts'
import { LINK_BACKOFF } from './backoff.ts'
import { type Client, type ClientParts, createClient } from './client.ts'
import { createOwned, type Serving } from './owned.ts'
import { isToConnect, type SessionRow } from './session-row.ts'
import { viewsOf } from './view.ts'

export interface LauncherParts extends Omit<ClientParts, 'driver' | 'reconnect'> {
  /** Looked up at each use: plugins receive the sessions before the driver's plugin has started. */
  driver: () => Driver
  serving: Serving
  reconnect?: Backoff
}

/** How long a start waits for the network. */
export const WAIT_MS = 10_000

/** Links opened at once: enough to keep the core busy while each waits for some ten round trips. */
const AT_ONCE = 20

export type Launcher = ReturnType<typeof createLauncher>

/** Starts the clients of sessions: on request, at the start of the process, and when it gains them. */
export function createLauncher(parts: LauncherParts) {
  const { driver, serving, store, log } = parts
  const clients = createSessionClients(parts)
  let isStopping = false
  const isForeign = (row: SessionRow): boolean => row.network !== driver().network

  /** Rows of gained sessions are read again, since another process may have changed them. */
  const owned = createOwned({
    ownership: serving,
    async open(id) {
      await store.refresh(id)
      void restoreOne(id)
    },
    close: (id) => clients.take(id)?.stop('served by another process'),
    onError: (error, session) => log.error({ session, reason: reasonOf(error) }, 'gained session not read'),
  })

  async function restoreOne(id: string): Promise<void> {
    const row = store.byId(id)
    if (!row || !isToConnect(row) || isForeign(row)) return
    await launch(id).catch((error: unknown) =>
      log.error({ session: id, reason: reasonOf(error) }, 'not restored'),
    )
  }

  /** @param isAsked by a caller, who may know that the cause of a final end is gone. */
  async function launch(id: string, isAsked = false): Promise<Client> {
    // A regained session must not open a link next to its last one.
    await owned.ready(id)
    await serving.claim(id)
    if (isStopping) throw gatewayError('STOPPING')
    const row = store.rowOf(id)
    if (row.network && isForeign(row)) throw gatewayError('OTHER_NETWORK', [row.network, driver().network])
    const client = clients.get(id) ?? clients.make(id)
    // Work left by the last link would delete the keys of the next one and clear autoConnect.
    await client.idle()
    const { autoConnect, ended } = store.rowOf(id)
    if (!autoConnect || (isAsked && ended)) await store.clearEnded(id, { autoConnect: true })
    client.start()
    return client
  }

  return {
    clients,
    launch,
    gained: owned,
    /** See `SessionManager`. */
    async restore(): Promise<void> {
      owned.start()
      const waiting = store.all().filter((row) => isToConnect(row) && serving.owns(row.id))
      for (const { id, network } of waiting.filter(isForeign))
        log.warn({ session: id, linkedOn: network, network: driver().network }, 'not restored: other network')
      const queue = waiting.filter((row) => !isForeign(row))
      const worker = async (): Promise<void> => {
        for (let row = queue.shift(); row && !isStopping; row = queue.shift()) {
          // Removed meanwhile; those behind it are restored.
          if (!store.byId(row.id)) continue
          const client = await launch(row.id)
          await client.waitFor(({ state }) => state !== 'connecting', WAIT_MS)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
    },
    stop() {
      isStopping = true
      void owned.stop()
      return clients.stop()
    },
  }
}

/** The clients in memory. */
function createSessionClients(parts: LauncherParts) {
  const { driver, store, reconnect = LINK_BACKOFF } = parts
  const clients = new Map<string, Client>()
  let stopping: Map<string, Client> | undefined
  const get = (id: string): Client | undefined => clients.get(id)

  function make(id: string): Client {
    const client = createClient(id, { ...parts, driver: driver(), reconnect })
    clients.set(id, client)
    return client
  }

  return {
    get,
    make,
    view: viewsOf(get),
    /** Throws NO_CLIENT. */
    of(id: string): Client {
      // Restored from before the process start: callers can react to how its link ended.
      if (!clients.has(id) && !store.byId(id)?.ended) throw gatewayError('NO_CLIENT')
      return clients.get(id) ?? make(id)
    },
    /** The client, which is no longer the session's. */
    take(id: string): Client | undefined {
      const client = clients.get(id)
      clients.delete(id)
      return client
    },
    async stop(): Promise<void> {
      stopping ??= new Map(clients)
      clients.clear()
      await Promise.all([...stopping].map(([id, one]) => one.stop().finally(() => stopping?.delete(id))))
    },
    /** Ids of sessions whose links have not ended yet. */
    stopping: () => [...(stopping?.keys() ?? [])],
  }
}
