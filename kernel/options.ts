import type { ListenOptions } from './http/server.ts'
import type { Pace } from './sessions/backoff.ts'
import type { Log } from './types/driver.ts'
import type { Migration } from './types/storage.ts'
import type { Patience } from './wiring/lifecycle.ts'
import type { Listed } from './wiring/prepare.ts'

export interface GatewayOptions extends ListenOptions {
  plugins: readonly Listed[]
  migrations: Readonly<Record<string, Migration>>
  version: string
  log: Log
  dataDir: string
  /** Master keys, active one first: `k2:<base64 of 32 bytes>,k1:…` */
  keys: string
  /** PostgreSQL; SQLite in `dataDir` when absent. */
  databaseUrl?: string
  databaseSchema?: string
  /** Told when another process has taken the database: the gateway stops by itself. */
  onTaken?: () => void
  /** Without one every admin call is refused. */
  adminToken?: string
  /** Takes session tokens of fewer than 16 characters, as the interface does; default true. */
  allowWeakTokens?: boolean
  /** Reverse proxies in front whose X-Forwarded-For is believed; 0 believes none. */
  trustProxy?: number
  allowPrivateHosts?: readonly string[]
  /** Origins of pages that may call the interface from browsers, or `*`; none when absent. */
  corsOrigins?: readonly string[]
  bodyLimit?: number
  /** Refuses unknown fields of bodies instead of ignoring them. */
  strictBodies?: boolean
  retentionDays?: number
  /** Reconnecting; tests make it quick. */
  pace?: Pace
  /** Seconds that a plugin may take to set up and to close; tests make them few. */
  patience?: Patience
}
