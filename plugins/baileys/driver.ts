import type { Driver, LinkOptions, Row } from 'wamux/plugin'
import { openLink } from './link.ts'
import type { DriverParts, LinkParts } from './parts.ts'
import { owningTimers } from './patches/timers.ts'
import { createRemoteSocket } from './send/remote.ts'
import { createBackpressure } from './socket/backpressure.ts'
import { createCodec } from './store/codec.ts'
import { loadCreds, newCreds, saveCreds } from './store/credentials.ts'
import { createRecordCache } from './store/live-records.ts'
import { createOutgoing } from './store/outgoing.ts'

/** The kernel's port to the network, by Baileys. */
export function createDriver(driver: DriverParts): Driver {
  const { db } = driver
  const parts: Omit<LinkParts, 'network'> = {
    ...driver,
    backpressure: createBackpressure(),
    records: createRecordCache(),
  }
  return {
    get network() {
      return parts.networkName()
    },
    async open(options) {
      const { id } = options.session
      const codec = createCodec(parts.vault, id)
      const creds = await loadCreds(db, codec, id)
      const network = await parts.networks.of(id)
      // The guard timers that Baileys leaves behind are all started before a link is open.
      const onEvent: LinkOptions['onEvent'] = (event) => {
        if (event.type === 'open') timers.untrack()
        // The kernel ends no link that has closed by itself.
        if (event.type === 'closed') timers.release()
        return options.onEvent(event)
      }
      const timers = owningTimers(() =>
        openLink({ ...parts, network }, codec, creds, { ...options, onEvent }),
      )
      const { end } = timers.made
      return Object.assign(timers.made, { end: () => end().finally(timers.release) })
    },
    remote({ id: session, jid }, notOwned) {
      const { config, peers, vault } = parts
      const outgoing = createOutgoing(db, createCodec(vault, session), session)
      return createRemoteSocket({ session, jid, outgoing, peers, queue: config.queue, notOwned })
    },
    async unfinished() {
      const rows = await db
        .read<Row>(db.table('outgoing'))
        .whereIn('state', ['queued', 'sending'])
        .distinct('session')
      return rows.map((row) => String(row['session']))
    },
    async forget(session, why) {
      await parts.networks.forget(session)
      const codec = createCodec(parts.vault, session)
      const { wasLinked } = await loadCreds(db, codec, session)
      const tables = ['keys', 'creds', 'inbox', 'outgoing'].map(db.table)
      await db.transact(
        async (trx) => {
          for (const table of tables) await trx(table).where({ session }).del()
        },
        { session },
      )
      if (why === 'unlinked' && wasLinked) await saveCreds(db, codec, session, { ...newCreds(), wasLinked })
    },
  }
}
