import type { Middleware } from 'koa'
import type { OpenDatabase } from './db/database.ts'
import type { BodyChecks } from './http/body-check.ts'
import type { ListenOptions } from './http/server.ts'
import type { Pace } from './sessions/backoff.ts'
import type { Log } from './types/driver.ts'
import type { Migration } from './types/storage.ts'
import type { Keyring } from './vault/vault.ts'
import type { PluginTimeouts } from './wiring/lifecycle.ts'
import type { Listed } from './wiring/prepare.ts'

export interface GatewayOptions extends ListenOptions {
  plugins: readonly Listed[]
  migrations: Readonly<Record<string, Migration>>
  version: string
  log: Log
  dataDir: string
  /** The master keys, when the gateway starts. */
  openKeyring: () => Keyring
  /** The engine: it is opened when the gateway starts, and closed when it stops. */
  openDatabase: OpenDatabase
  /** What becomes of a body, and which are refused. */
  bodyChecks: BodyChecks
  /** Called when another process has acquired the database lock; the gateway stops by itself. */
  onLockLost?: () => void
  /** Without it, every admin call is refused. */
  adminToken?: string
  /** Accepts session tokens of fewer than 16 characters, as the interface does; default true. */
  allowWeakTokens?: boolean
  /** Number of reverse proxies in front whose X-Forwarded-For is trusted; 0 trusts none. */
  trustProxy?: number
  allowPrivateHosts?: readonly string[]
  /** Runs before the routes, for every request. */
  middleware?: readonly Middleware[]
  bodyLimit?: number
  retentionDays?: number
  /** Delays between reconnects; tests shorten them. */
  pace?: Pace
  /** Seconds that a plugin may take to set up and to close; tests shorten them. */
  pluginTimeouts?: PluginTimeouts
}
