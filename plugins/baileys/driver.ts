import type { Driver, Kernel } from 'wamux/plugin'
import { loadCreds } from './creds.ts'
import { openLink } from './link.ts'
import type { Dialled } from './network.ts'

export interface DriverConfig {
  /** Baileys' own log; its lines are many and tell of messages. */
  log: string
  keepAliveMs: number
  queryTimeoutMs: number
  ackTimeoutMs: number
  cacheBytes: number
}

export interface DriverParts {
  db: Kernel<unknown>['db']
  events: Kernel<unknown>['events']
  config: DriverConfig
  network(): Dialled
}

/** The kernel's port to the network, by Baileys. */
export function createDriver(parts: DriverParts): Driver {
  const { db } = parts
  return {
    get network() {
      return parts.network().name
    },
    open: async (options) => openLink(parts, await loadCreds(db, options.session.id), options),
    async forget(session) {
      const tables = ['keys', 'creds', 'inbox', 'outgoing'].map(db.table)
      await db.transact(async (trx) => {
        for (const table of tables) await trx(table).where({ session }).del()
      })
    },
  }
}
