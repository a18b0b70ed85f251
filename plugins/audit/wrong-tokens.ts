import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'

export type TokenKind = 'admin' | 'token'

/** Counts wrong tokens by source address. Valid tokens are not counted. */
export interface WrongTokens {
  /**
   * Counts a wrong token.
   * @returns seconds until the address may fail again, 0 below the limit; `isFirst` for the first one over the limit.
   */
  count(kind: TokenKind, address: string): { wait: number; isFirst: boolean }
}

const LIMITS: Readonly<Record<TokenKind, number>> = { admin: 5, token: 20 }
/** Maximum of addresses in memory; the one that failed longest ago is dropped first. */
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

/** An IPv4 address in normal form; of an IPv6 address the /64, the usual allocation of one customer. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address.slice(0, 64)
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString()
}
