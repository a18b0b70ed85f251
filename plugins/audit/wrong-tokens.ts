import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'

export type TokenKind = 'admin' | 'token'

/** Wrong tokens by the address that they came from. Right ones are never counted, and so never slowed. */
export interface WrongTokens {
  /**
   * Counts one more.
   * @returns seconds until the address may fail again, 0 while it still may; `isFirst` for the first one over.
   */
  count(kind: TokenKind, address: string): { wait: number; isFirst: boolean }
}

const LIMITS: Readonly<Record<TokenKind, number>> = { admin: 5, token: 20 }
/** Addresses remembered at once; the one that failed longest ago goes first. */
const MAX_ADDRESSES = 10_000

export function createWrongTokens(windowMs = 60_000): WrongTokens {
  const counts = new LRUCache<string, { failed: number }>({ max: MAX_ADDRESSES, ttl: windowMs })
  return {
    count(kind, address) {
      const key = `${kind} ${networkOf(address)}`
      const entry = counts.get(key) ?? { failed: 0 }
      // The window begins with its first failure.
      if (entry.failed === 0) counts.set(key, entry)
      entry.failed += 1
      const over = entry.failed - LIMITS[kind]
      if (over <= 0) return { wait: 0, isFirst: false }
      return { wait: Math.max(1, Math.ceil(counts.getRemainingTTL(key) / 1000)), isFirst: over === 1 }
    },
  }
}

/** An IPv4 address as it is, however it is written; of IPv6 the /64, all of which one customer has. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address.slice(0, 64)
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString()
}
