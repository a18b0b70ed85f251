import type { Driver } from 'wamux/plugin'
import { openLink } from './link.ts'
import type { DriverParts, LinkParts } from './parts.ts'
import { owningTimers } from './patches/timers.ts'
import { createBackpressure } from './socket/backpressure.ts'
import { createCodec } from './store/codec.ts'
import { loadCreds } from './store/credentials.ts'
import { createRecordCache } from './store/live-records.ts'

/** The kernel's port to the network, by Baileys. */
export function createDriver(driver: DriverParts): Driver {
  const { db } = driver
  const parts: LinkParts = { ...driver, backpressure: createBackpressure(), records: createRecordCache() }
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
