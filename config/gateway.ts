import {
  createGateway as createOn,
  type Gateway,
  type GatewayOptions as KernelOptions,
} from '../kernel/gateway.ts'
import type { Plugin } from '../kernel/plugin.ts'
import type { Listed } from '../kernel/wiring/prepare.ts'
import { openDatabase } from './engines/open.ts'
import { addRedactions } from './logging/redact.ts'

export type { Gateway }

export interface GatewayOptions extends Omit<KernelOptions, 'openDatabase'> {
  /** Of PostgreSQL; SQLite in `dataDir` when absent. */
  databaseUrl?: string
  databaseSchema?: string
}

/**
 * A gateway of the given plugins on one of the engines of this package. Checks at once everything that needs neither disk
 * nor network, and throws START_FAILED with all faults.
 */
export function createGateway({ databaseUrl, databaseSchema, ...options }: GatewayOptions): Gateway {
  const { dataDir, log } = options
  const gateway = createOn({
    ...options,
    openDatabase: (isShared) =>
      openDatabase({ dataDir, url: databaseUrl, schema: databaseSchema, isShared, log }),
  })
  addRedactions(options.plugins.flatMap(redactedBy))
  return gateway
}

function redactedBy({ plugin }: Listed): readonly string[] {
  return (plugin as Partial<Plugin> | undefined)?.spec?.redact ?? []
}
