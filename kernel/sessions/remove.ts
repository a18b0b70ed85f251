import { withTimeout } from '../async/time-out.ts'
import { reasonOf } from '../errors.ts'
import type { Driver, Log } from '../types/driver.ts'
import type { RemovedSession, Session } from '../types/session.ts'
import type { Client } from './client.ts'
import type { SessionRow } from './session-row.ts'
import type { SessionStore } from './store.ts'

export interface RemoverParts {
  driver: () => Driver
  store: SessionStore
  clients: Map<string, Client>
  /** Rejects SESSION_UNKNOWN. */
  rowOf(id: string): SessionRow
  show(row: SessionRow): Session
  own(id: string): Promise<void>
  launch(id: string): Promise<Client>
  log: Log
}

/** Time limit of the network for connecting the session, and then for unlinking its device. */
const UNLINK_MS = 7_000

/** Removes sessions, even while the network is down: the device then stays on the phone's list. */
export function removerOf({ driver, store, clients, rowOf, show, own, launch, log }: RemoverParts) {
  /** The client with an open link; without one, the session is connected once. */
  async function connected(id: string): Promise<Client> {
    const known = clients.get(id)
    if (known?.state === 'open') return known
    clients.delete(id)
    await known?.stop()
    const client = await launch(id)
    await client.waitFor(({ state }) => state !== 'connecting', UNLINK_MS)
    if (client.state !== 'open') throw new Error(client.details.reason || 'the network did not answer')
    return client
  }

  async function unlink(id: string): Promise<void> {
    // Connecting would end the other connection, which may belong to a gateway to which the session has moved.
    if (show(rowOf(id)).state === 'replaced') throw new Error('another connection has taken its place')
    const client = await connected(id)
    await withTimeout(client.logout(), UNLINK_MS, () => {
      throw new Error('the network did not answer')
    })
  }

  return async (id: string): Promise<RemovedSession> => {
    await own(id)
    // The phone may have unlinked it a moment ago: the state changes first, the row later.
    await clients.get(id)?.idle()
    const { name, jid } = show(rowOf(id))
    const unlinkFault = jid ? await unlink(id).then(() => '', reasonOf) : undefined
    if (unlinkFault) log.warn({ session: id, reason: unlinkFault }, 'device not unlinked on delete')
    const client = clients.get(id)
    clients.delete(id)
    await client?.stop()
    await driver().forget(id, 'removed')
    await store.remove(id)
    return { id, name, jid, unlinkFault }
  }
}
