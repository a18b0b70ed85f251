import type { Backoff } from './async/backoff.ts'
import type { ListenOptions } from './http/server.ts'
import type { StreamLimits } from './http/streams.ts'
import type { Log } from './types/driver.ts'
import type { Migration } from './types/storage.ts'
import type { WatchdogOptions } from './watchdog/watchdog.ts'
import type { PluginTimeouts } from './wiring/lifecycle.ts'
import type { Listed } from './wiring/prepare.ts'

export interface GatewayOptions extends ListenOptions, StreamLimits {
  plugins: readonly Listed[]
  migrations: Readonly<Record<string, Migration>>
  version: string
  log: Log
  dataDir: string
  /** Master keys, the active one first: `k2:<base64 of 32 bytes>,k1:…` */
  keys: string
  /** URL of PostgreSQL; without it SQLite in `dataDir`. */
  databaseUrl?: string
  /** URL of the server itself, where `databaseUrl` points to a pooler in transaction mode. */
  databaseDirectUrl?: string
  /** Schema of PostgreSQL, created when missing. */
  databaseSchema?: string
  /** Called when another process has acquired the database lock; the gateway stops on its own. */
  onLockLost?: () => void
  /** Without it, every admin call is refused. */
  adminToken?: string
  /** Accepts session tokens shorter than 16 characters, like the interface; default true. */
  allowWeakTokens?: boolean
  /** Number of reverse proxies in front of the gateway whose X-Forwarded-For is trusted; 0 trusts none. */
  trustProxy?: number
  allowPrivateHosts?: readonly string[]
  /** Origins of pages that may call the interface from browsers, or `*`; none when absent. */
  corsOrigins?: readonly string[]
  /** Refuses unknown fields and query parameters also on the routes that ignore them. */
  strictBodies?: boolean
  /** Limit of a body in bytes; default 64 MiB. */
  bodyLimit?: number
  /** Without it nothing watches the event loop. */
  watchdog?: WatchdogOptions
  retentionDays?: number
  /** Pauses between reconnects; tests shorten them. */
  reconnect?: Backoff
  /** Seconds that the start waits for a database that does not answer; default 30. */
  storageSeconds?: number
  /** Seconds that a plugin may take to set up and to close; tests shorten them. */
  pluginTimeouts?: PluginTimeouts
}
