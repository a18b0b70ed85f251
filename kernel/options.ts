import type { ListenOptions } from './http/server.ts'
import type { Pace } from './sessions/backoff.ts'
import type { Log } from './types/driver.ts'
import type { Migration } from './types/storage.ts'
import type { PluginTimeouts } from './wiring/lifecycle.ts'
import type { Listed } from './wiring/prepare.ts'

export interface GatewayOptions extends ListenOptions {
  plugins: readonly Listed[]
  migrations: Readonly<Record<string, Migration>>
  version: string
  log: Log
  dataDir: string
  /** Master keys, active one first: `k2:<base64 of 32 bytes>,k1:…` */
  keys: string
  /** Of PostgreSQL; SQLite in `dataDir` when absent. */
  databaseUrl?: string
  /** Of the server itself, where `databaseUrl` is that of a pooler in transaction mode. */
  databaseDirectUrl?: string
  databaseSchema?: string
  /** Called when another process has acquired the database lock; the gateway stops by itself. */
  onLockLost?: () => void
  /** Without it, every admin call is refused. */
  adminToken?: string
  /** Accepts session tokens of fewer than 16 characters, as the interface does; default true. */
  allowWeakTokens?: boolean
  /** Number of reverse proxies in front whose X-Forwarded-For is trusted; 0 trusts none. */
  trustProxy?: number
  allowPrivateHosts?: readonly string[]
  /** Origins of pages that may call the interface from browsers, or `*`; none when absent. */
  corsOrigins?: readonly string[]
  bodyLimit?: number
  /** Refuses unknown fields of bodies instead of ignoring them. */
  strictBodies?: boolean
  retentionDays?: number
  /** Delays between reconnects; tests shorten them. */
  pace?: Pace
  /** Seconds that a plugin may take to set up and to close; tests shorten them. */
  pluginTimeouts?: PluginTimeouts
}
