import { type GatewayError, gatewayError } from '../errors.ts'
import type { Driver } from '../types/driver.ts'
import type { Ownership } from '../types/ownership.ts'
import type { Session } from '../types/session.ts'
import type { SessionStore } from './store.ts'
import { SessionView } from './view.ts'

export interface RemoteSessions {
  /**
   * A session that another process serves, as last read, with a socket that stores messages to send; undefined if this
   * process serves it. Rejects NOT_OWNED if it is not linked or should not be connected, as the socket does for everything
   * else.
   */
  remote(id: string): Promise<Session | undefined>
}

interface RemoteParts {
  driver(): Driver
  ownership(): Ownership
  store: Pick<SessionStore, 'byId'>
  notOwned(id: string): GatewayError
}

export function remoteOf(parts: RemoteParts): RemoteSessions['remote'] {
  const { store, notOwned } = parts
  return async (id) => {
    if (parts.ownership().owns(id)) return undefined
    const row = store.byId(id)
    if (!row) throw gatewayError('SESSION_UNKNOWN')
    const { network, remote } = parts.driver()
    if (!remote || !row.autoConnect || !row.jid || row.network !== network) throw notOwned(id)
    return new SessionView(
      row,
      () => undefined,
      remote(row, () => notOwned(id)),
    )
  }
}
