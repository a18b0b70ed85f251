import { createInterval, type Interval, type Kernel, type Row, reasonOf } from 'wamux/plugin'
import { UNSENT } from '../store/predicates.ts'
import { queuedTopic } from './remote.ts'

/** Wakes links whose sessions have messages stored by other processes: the notification may have been lost. */
export function createQueueWatch({
  db,
  peers,
  log,
}: Pick<Kernel<unknown>, 'db' | 'peers' | 'log'>): Interval {
  async function look(): Promise<void> {
    if (peers.isAlone) return
    const rows = await db
      .read<Row>(db.table('outgoing'))
      .where({ state: 'queued' })
      .whereRaw(UNSENT)
      .distinct('session')
    peers.arrived(rows.map(({ session }) => queuedTopic(String(session))))
  }
  return createInterval(5_000, look, (error) =>
    log.debug({ reason: reasonOf(error) }, 'look-up of queued messages failed'),
  )
}
