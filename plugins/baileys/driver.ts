import type { Driver, GatewayServices, Kernel } from 'wamux/plugin'
import { createCodec } from './codec.ts'
import { loadCreds } from './creds.ts'
import { openLink } from './link.ts'
import type { Files } from './media-file.ts'
import type { Dialled } from './network.ts'
import { createRoom, type Room } from './room.ts'
import { owningTimers } from './timers.ts'

export interface DriverConfig {
  /** Level of Baileys' own log, whose lines are many. */
  log: string
  keepAliveMs: number
  queryTimeoutMs: number
  ackTimeoutMs: number
  reuploadTimeoutMs: number
  cacheBytes: number
  queue: number
}

export interface DriverParts {
  db: Kernel<unknown>['db']
  vault: Kernel<unknown>['vault']
  events: Kernel<unknown>['events']
  config: DriverConfig
  files: Files
  pace: GatewayServices['pace'] | undefined
  network(): Dialled
}

export interface LinkParts extends DriverParts {
  room: Room
}

/** The kernel's port to the network, by Baileys. */
export function createDriver(driver: DriverParts): Driver {
  const { db } = driver
  const parts: LinkParts = { ...driver, room: createRoom() }
  return {
    get network() {
      return parts.network().name
    },
    async open(options) {
      const { id } = options.session
      const codec = createCodec(parts.vault, id)
      const creds = await loadCreds(db, codec, id)
      const { made, release } = owningTimers(() => openLink(parts, codec, creds, options))
      const { end } = made
      return Object.assign(made, { end: () => end().finally(release) })
    },
    async forget(session) {
      const tables = ['keys', 'creds', 'inbox', 'outgoing'].map(db.table)
      await db.transact(async (trx) => {
        for (const table of tables) await trx(table).where({ session }).del()
      })
    },
  }
}
