import { randomBytes } from 'node:crypto'
import { gatewayError } from '../errors.ts'
import type { Vault } from '../types/storage.ts'
import { decrypt, encrypt, type Keyring, type WrappedKey } from './keyring.ts'

/** The keys of the sessions, one each: whoever loses it has lost everything that was stored of the session. */
export interface SessionVault extends Vault {
  /** Makes a session's key. */
  create(session: string): WrappedKey
  /**
   * Takes in a stored key.
   * @returns the key wrapped anew when its master key is not the active one any more.
   */
  admit(session: string, key: WrappedKey): WrappedKey | undefined
  forget(session: string): void
  mac(secret: string): string
}

export function createVault(keyring: Keyring): SessionVault {
  const keys = new Map<string, Buffer>()
  const keyOf = (session: string): Buffer => {
    const key = keys.get(session)
    if (!key) throw gatewayError('SESSION_UNKNOWN')
    return key
  }
  return {
    mac: keyring.mac,
    create(session) {
      const key = randomBytes(32)
      keys.set(session, key)
      return keyring.wrap(key, session)
    },
    admit(session, wrapped) {
      const key = keyring.unwrap(wrapped, session)
      keys.set(session, key)
      return wrapped.kid === keyring.active ? undefined : keyring.wrap(key, session)
    },
    forget(session) {
      keys.get(session)?.fill(0)
      keys.delete(session)
    },
    seal: (session, place, plain) => encrypt(keyOf(session), `${session} ${place}`, Buffer.from(plain)),
    open: (session, place, sealed) => decrypt(keyOf(session), `${session} ${place}`, sealed),
  }
}
