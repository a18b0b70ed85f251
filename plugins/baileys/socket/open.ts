import type {
  AuthenticationState,
  CacheStore,
  GroupMetadata,
  SocketConfig,
  WASocket,
} from '@whiskeysockets/baileys'
import type { Log } from 'wamux/plugin'
import { DEFAULT_CONNECTION_CONFIG, makeWASocket } from '../baileys.ts'
import type { Dialled } from '../network/network.ts'
import { trust } from '../patches/curve.ts'
import { boundCaches } from './bounded-caches.ts'
import { createCache } from './cache.ts'
import { limitConnecting } from './connection/connect-deadline.ts'
import { loggerOf } from './logger.ts'
import { patchUploads } from './media-host.ts'

export interface SocketParts {
  auth: AuthenticationState
  /** Name in the phone's list of linked devices. */
  os: string
  network: Dialled
  /** Of WhatsApp Web; Baileys hashes it into a registration. */
  version: readonly [number, number, number]
  log: Log
  makeSignalRepository: SocketConfig['makeSignalRepository']
  getMessage: SocketConfig['getMessage']
  /** The members of a group; `fetch` queries the network for them. */
  groupOf(jid: string, fetch: WASocket['groupMetadata']): Promise<GroupMetadata | undefined>
  /** Devices of users. One cache for each session: the own device is filtered out of its values. */
  devices: CacheStore
}

/** Opens a Baileys socket that connects to the given network and trusts its root key. */
export function openSocket(parts: SocketParts): WASocket {
  const { network } = parts
  const config: Partial<SocketConfig> & { auth: AuthenticationState } = {
    auth: parts.auth,
    version: [...parts.version],
    logger: loggerOf(parts.log),
    browser: [parts.os || 'wamux', 'Chrome', '1.0'],
    makeSignalRepository: parts.makeSignalRepository,
    getMessage: parts.getMessage,
    // The one option that needs the socket itself.
    cachedGroupMetadata: (jid) => parts.groupOf(jid, wa.groupMetadata),
    userDevicesCache: parts.devices,
    msgRetryCounterCache: createCache(5_000, 3_600_000),
    callOfferCache: createCache(500, 300_000),
    placeholderResendCache: createCache(5_000, 3_600_000),
    markOnlineOnConnect: false,
    syncFullHistory: false,
    emitOwnEvents: false,
    generateHighQualityLinkPreview: false,
    // Never: keep-alive.ts.
    keepAliveIntervalMs: 2 ** 31 - 1,
    // Deadlines of our own (connect-deadline.ts, query-deadline.ts): each of these costs three stacks a frame.
    connectTimeoutMs: 0,
    defaultQueryTimeoutMs: undefined,
    // A failed commit must close the link, not be retried for half a minute with the lock held.
    transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 10 },
    ...(network.url ? { waWebSocketUrl: network.url } : {}),
    ...(network.socketAgent ? { agent: network.socketAgent } : {}),
    ...(network.uploadAgent ? { fetchAgent: network.uploadAgent } : {}),
    options: network.fetchOptions,
  }
  if (network.rootKey) trust(network.rootKey)
  const wa = makeWASocket(config)
  limitConnecting(wa)
  boundCaches(wa)
  patchUploads(wa, { ...DEFAULT_CONNECTION_CONFIG, ...config })
  return wa
}
