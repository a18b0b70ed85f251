import type {
  AuthenticationState,
  CacheStore,
  GroupMetadata,
  SocketConfig,
  WASocket,
} from '@whiskeysockets/baileys'
import type { Log } from 'wamux/plugin'
import { makeWASocket } from '../baileys.ts'
import type { Dialled } from '../network/network.ts'
import { trust } from '../patches/curve.ts'
import { boundCaches } from './bounded-caches.ts'
import { createCache } from './cache.ts'
import { type ClientFacts, payloadCountry } from './connection/client-payload.ts'
import type { Addressed } from './devices/addressed.ts'
import { loggerOf } from './logger.ts'
import { patchUploads } from './media-host.ts'
import type { Resends } from './retries/resends.ts'

interface SocketParts {
  auth: AuthenticationState
  client: ClientFacts
  network: Dialled
  /** Version of WhatsApp Web; Baileys hashes it into a registration. */
  version: readonly [number, number, number]
  log: Log
  makeSignalRepository: SocketConfig['makeSignalRepository']
  resends: Resends
  addressed: Addressed
  /** The members of a group; `fetch` queries the network for them. */
  groupOf(jid: string, fetch: WASocket['groupMetadata']): Promise<GroupMetadata | undefined>
  /** Devices of users. One cache per session, because the own device is filtered out of its values. */
  devices: CacheStore
}

const none = (): void => undefined

/** Opens a Baileys socket that connects to the given network and trusts its root key. */
export function openSocket(parts: SocketParts): WASocket {
  const { network } = parts
  const config: Partial<SocketConfig> & { auth: AuthenticationState } = {
    auth: parts.auth,
    version: [...parts.version],
    logger: loggerOf(parts.log),
    browser: ['', 'Chrome', ''],
    // Typed as a string; Baileys uses it only as one.
    countryCode: payloadCountry(parts.client) as unknown as string,
    makeSignalRepository: parts.makeSignalRepository,
    getMessage: parts.resends.getMessage,
    // The only option that needs the socket itself.
    cachedGroupMetadata: (jid) => parts.groupOf(jid, wa.groupMetadata),
    userDevicesCache: parts.devices,
    patchMessageBeforeSending: parts.addressed.patchMessageBeforeSending,
    msgRetryCounterCache: parts.resends.counters,
    callOfferCache: createCache(500, 300_000),
    // journal/placeholders.ts asks the phone: to Baileys all messages have been asked for.
    placeholderResendCache: {
      get: () => true,
      set: none,
      del: none,
      flushAll: none,
    } as unknown as CacheStore,
    markOnlineOnConnect: false,
    syncFullHistory: false,
    // Nobody but the account's devices can write settings, and the network can't take any away unnoticed.
    appStateMacVerification: { patch: true, snapshot: true },
    emitOwnEvents: false,
    generateHighQualityLinkPreview: false,
    // Never: replaced by keep-alive.ts.
    keepAliveIntervalMs: 2 ** 31 - 1,
    // Replaced by connect-deadline.ts and query-deadline.ts: each of these options costs three stack traces per frame.
    connectTimeoutMs: 0,
    defaultQueryTimeoutMs: undefined,
    // A failed commit must close the link, not be retried for half a minute while the lock is held.
    transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 10 },
    ...(network.url ? { waWebSocketUrl: network.url } : {}),
    ...(network.socketAgent ? { agent: network.socketAgent } : {}),
    options: network.fetchOptions,
  }
  if (network.rootKey) trust(network.rootKey)
  const wa = makeWASocket(config)
  limitConnecting(wa)
  boundCaches(wa)
  patchUploads(wa)
  return wa
}

/** Same as Baileys' own limit (Defaults/index.js, connectTimeoutMs). */
const CONNECT_MS = 20_000

/**
 * Ends a socket that receives no frame in time. Replaces Baileys' `connectTimeoutMs`, which is set to 0: otherwise Baileys
 * starts a timer and creates three stack traces and a rejected promise for every frame that it sends (Utils/generics.js
 * promiseTimeout, called by Socket/socket.js sendRawMessage).
 */
export function limitConnecting(wa: Pick<WASocket, 'ws' | 'end'>, ms = CONNECT_MS): void {
  const timer = setTimeout(() => {
    wa.end(new Error(`WhatsApp did not answer within ${ms / 1000} s`))
  }, ms)
  for (const event of ['frame', 'close', 'error']) wa.ws.once(event, () => clearTimeout(timer))
}
