import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'

export type TokenKind = 'admin' | 'token'

/** Counts wrong tokens by source address. Valid tokens are not counted. */
export interface WrongTokens {
  /** Counts a wrong token. */
  count(kind: TokenKind, address: string): Counted
  /** As `count`, without counting another: `failed` in all processes. */
  raise(kind: TokenKind, address: string, failed: number): Counted
}

/** Seconds until the address may fail again, 0 below the limit; `isFirst` for the first failure over the limit. */
export interface Counted {
  readonly wait: number
  readonly isFirst: boolean
}

const LIMITS: Readonly<Record<TokenKind, number>> = { admin: 5, token: 20 }
/** Maximum of addresses in memory; the one that failed longest ago is dropped first. */
const MAX_ADDRESSES = 10_000

export const WINDOW_MS = 60_000

export function createWrongTokens(windowMs = WINDOW_MS): WrongTokens {
  const counts = new LRUCache<string, { failed: number }>({ max: MAX_ADDRESSES, ttl: windowMs })
  function change(kind: TokenKind, address: string, next: (failed: number) => number): Counted {
    const key = `${kind} ${networkOf(address)}`
    const entry = counts.get(key) ?? { failed: 0 }
    // The window begins with its first failure.
    if (entry.failed === 0) counts.set(key, entry)
    entry.failed = next(entry.failed)
    const over = entry.failed - LIMITS[kind]
    if (over <= 0) return { wait: 0, isFirst: false }
    return { wait: Math.max(1, Math.ceil(counts.getRemainingTTL(key) / 1000)), isFirst: over === 1 }
  }

  return {
    count: (kind, address) => change(kind, address, (failed) => failed + 1),
    raise: (kind, address, total) => change(kind, address, (failed) => Math.max(failed, total)),
  }
}

/** An IPv4 address in normal form; of an IPv6 address the /64, the usual allocation of one customer. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address.slice(0, 64)
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString()
}
