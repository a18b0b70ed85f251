import { type Log, reasonOf } from 'wamux/plugin'
import type { Connection } from './connection.ts'

/** Carries topics to all nodes, those that come meanwhile together: the connection also renews the leases. */
export function createCarrier({ notify }: Pick<Connection, 'notify'>, log: Log) {
  const waiting = new Set<string>()
  let isSending = false

  async function send(): Promise<void> {
    while (waiting.size > 0) {
      const topics = [...waiting]
      waiting.clear()
      await notify(topics).catch((error: unknown) =>
        log.debug({ reason: reasonOf(error) }, 'other nodes not notified'),
      )
    }
    isSending = false
  }

  return (topics: readonly string[]): void => {
    for (const topic of topics) waiting.add(topic)
    if (isSending) return
    isSending = true
    void send()
  }
}
