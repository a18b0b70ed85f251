import { coalesce, type Log, reasonOf } from 'wamux/plugin'
import type { Connection } from './connection.ts'

/**
 * Carries topics to all nodes. Topics that arrive during a send are batched, since the connection also renews the leases.
 */
export function createCarrier({ notify }: Pick<Connection, 'notify'>, log: Log) {
  const waiting = new Set<string>()
  const sending = coalesce(
    async () => {
      const topics = [...waiting]
      waiting.clear()
      await notify(topics)
    },
    { onError: (error) => log.debug({ reason: reasonOf(error) }, 'other nodes not notified') },
  )
  return (topics: readonly string[]): void => {
    for (const topic of topics) waiting.add(topic)
    sending.request()
  }
}
