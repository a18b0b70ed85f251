import {
  createGateway as createOn,
  type Gateway,
  type GatewayOptions as KernelOptions,
} from '../kernel/gateway.ts'
import type { Plugin } from '../kernel/plugin.ts'
import type { Listed } from '../kernel/wiring/prepare.ts'
import { bodyChecks } from './bodies/check.ts'
import { cors } from './browsers/cors.ts'
import { securityHeaders } from './browsers/security-headers.ts'
import { createWebSockets } from './browsers/web-sockets.ts'
import { openDatabase } from './engines/open.ts'
import { openKeyring } from './keyring.ts'
import { addRedactions } from './logging/redact.ts'

export type { Gateway }

/** What this package gives the kernel. */
type Given = 'openDatabase' | 'openKeyring' | 'bodyChecks' | 'middleware' | 'webSockets'

export interface GatewayOptions extends Omit<KernelOptions, Given> {
  /** Master keys, active one first: `k2:<base64 of 32 bytes>,k1:…` */
  keys: string
  /** Of PostgreSQL; SQLite in `dataDir` when absent. */
  databaseUrl?: string
  /** Of the server itself, where `databaseUrl` is that of a pooler in transaction mode. */
  databaseDirectUrl?: string
  databaseSchema?: string
  /** Origins of pages that may call the interface from browsers, or `*`; none when absent. */
  corsOrigins?: readonly string[]
  /** Refuses unknown fields of bodies instead of ignoring them. */
  strictBodies?: boolean
}

/**
 * A gateway of the given plugins on one of the engines of this package. Checks at once everything that needs neither disk
 * nor network, and throws START_FAILED with all faults.
 */
export function createGateway(options: GatewayOptions): Gateway {
  const {
    databaseUrl,
    databaseDirectUrl,
    databaseSchema,
    corsOrigins = [],
    strictBodies,
    keys,
    ...rest
  } = options
  const place = { url: databaseUrl, directUrl: databaseDirectUrl, schema: databaseSchema }
  const { dataDir, log } = rest
  const gateway = createOn({
    ...rest,
    openDatabase: (isShared) => openDatabase({ dataDir, ...place, isShared, log }),
    openKeyring: () => openKeyring(keys),
    bodyChecks: () => bodyChecks(strictBodies),
    middleware: [securityHeaders(), ...(corsOrigins.length > 0 ? [cors(corsOrigins)] : [])],
    webSockets: createWebSockets(corsOrigins),
  })
  addRedactions(options.plugins.flatMap(redactedBy))
  return gateway
}

function redactedBy({ plugin }: Listed): readonly string[] {
  return (plugin as Partial<Plugin> | undefined)?.spec?.redact ?? []
}
