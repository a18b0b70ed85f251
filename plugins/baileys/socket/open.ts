import type { AuthenticationState, CacheStore, SocketConfig, WASocket } from '@whiskeysockets/baileys'
import type { Log } from 'wamux/plugin'
import { DEFAULT_CONNECTION_CONFIG, makeWASocket } from '../baileys.ts'
import { sharingContexts } from '../patches/contexts.ts'
import { trusting } from '../patches/curve.ts'
import { createCache } from './cache.ts'
import { patchUploads } from './media-host.ts'
import type { Dialled } from './network.ts'

export interface SocketParts {
  auth: AuthenticationState
  /** Name in the phone's list of linked devices. */
  os: string
  network: Dialled
  log: Log
  makeSignalRepository: SocketConfig['makeSignalRepository']
  getMessage: SocketConfig['getMessage']
  cachedGroupMetadata: SocketConfig['cachedGroupMetadata']
  keepAliveMs: number
  queryTimeoutMs: number
  /** Devices of users. One cache a session: the own device is filtered out of what is kept. */
  devices: CacheStore
}

/** Opens a Baileys socket that is dialled at, and trusts, the given network. */
export function openSocket(parts: SocketParts): WASocket {
  const { network } = parts
  const config: Partial<SocketConfig> & { auth: AuthenticationState } = {
    auth: parts.auth,
    logger: parts.log as never,
    browser: [parts.os || 'wamux', 'Chrome', '1.0'],
    makeSignalRepository: parts.makeSignalRepository,
    getMessage: parts.getMessage,
    cachedGroupMetadata: parts.cachedGroupMetadata,
    userDevicesCache: parts.devices,
    msgRetryCounterCache: createCache(5_000, 3_600_000),
    callOfferCache: createCache(500, 300_000),
    markOnlineOnConnect: false,
    syncFullHistory: false,
    emitOwnEvents: false,
    generateHighQualityLinkPreview: false,
    keepAliveIntervalMs: parts.keepAliveMs,
    // What ends a query is its deadline.
    defaultQueryTimeoutMs: parts.queryTimeoutMs * 2,
    // A commit that fails must close the link, not be tried for half a minute with the lock held.
    transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 10 },
    ...(network.url ? { waWebSocketUrl: network.url } : {}),
    ...(network.uploadAgent ? { fetchAgent: network.uploadAgent as never } : {}),
    ...(network.dispatcher ? { options: { dispatcher: network.dispatcher } as never } : {}),
  }
  const make = (): WASocket => sharingContexts(() => makeWASocket(config))
  const wa = network.rootKey ? trusting(network.rootKey, make) : make()
  patchUploads(wa, { ...DEFAULT_CONNECTION_CONFIG, ...config })
  return wa
}
