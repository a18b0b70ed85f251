import type { BinaryNode } from '@whiskeysockets/baileys'
import { getBinaryNodeChild, jidDecode } from '../../baileys.ts'
import { isIdentityChange } from '../../protocol/identity-change.ts'
import type { Me } from '../../protocol/signals.ts'
import { type BoundedCache, createCache } from '../cache.ts'

/** Devices of users, by the user of their JIDs: Baileys' `userDevicesCache`. */
export interface DeviceCache extends BoundedCache {
  /** Changes with each list that is stored or dropped. */
  readonly version: number
  /**
   * Drops the lists of the user whose devices a notification reports a change of. Baileys changes the list by number alone, and
   * ignores what it is told of the account's own devices (Socket/messages-recv.js handleDevicesNotification).
   */
  invalidate(stanza: BinaryNode, me: Me): void
  /** Drops the list of a user. */
  forget(jid: string): void
}

const MAX_USERS = 5_000
/** Baileys' own cache expires after five minutes; the network notifies of changes. */
const DEVICES_MS = 24 * 3_600_000

export function createDeviceCache(): DeviceCache {
  const cache = createCache(MAX_USERS, DEVICES_MS)
  let version = 0
  function drop(key: string): void {
    version += 1
    cache.delete(key)
  }

  return {
    ...cache,
    get version() {
      return version
    },
    set(key, value) {
      version += 1
      cache.set(key, value)
    },
    del: drop,
    invalidate(stanza, { id, lid }) {
      const { type, from, lid: other } = stanza.attrs
      const isOwn = type === 'account_sync' && getBinaryNodeChild(stanza, 'devices') !== undefined
      const isChanged = type === 'devices' || isIdentityChange(stanza)
      const jids = isOwn ? [id, lid] : isChanged ? [from, other] : []
      for (const jid of jids) drop(jidDecode(jid)?.user ?? '')
    },
    forget: (jid) => drop(jidDecode(jid)?.user ?? ''),
  }
}
