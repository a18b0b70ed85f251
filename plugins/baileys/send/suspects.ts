import {
  createKeyedQueue,
  type GatewayError,
  type GatewaySignals,
  gatewayError,
  type Write,
} from 'wamux/plugin'
import type { Outgoing, OutgoingRow } from '../store/outgoing.ts'

export interface SuspectParts {
  outgoing: Outgoing
  logFailed(failed: GatewaySignals['message.failed'], writes: readonly Write[]): Promise<unknown>
}

/** Finds the message that makes the network break the link off. */
export interface Suspects {
  begin(row: OutgoingRow): void
  end(row: OutgoingRow): void
  /** Runs the sends of suspects one after the other. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Counts a link that the network broke off against what is under way. */
  blame(): Promise<void>
  /** Why the row was given up. */
  verdictOn(row: OutgoingRow): GatewayError | undefined
}

/** A row on which so many links broke off is given up. */
const MAX_BREAKS = 2

/**
 * A message that the network can't read makes it break the link off, and so does every link that sends it again. What
 * was under way at the first time, from when Baileys has it until its ack, is suspected. Suspects then go out one
 * after the other, beside the messages of other chats, and a link that breaks off meanwhile counts against the one
 * suspect alone: that was the second time, and it is given up as failed. Only links that the network itself broke off
 * count (isBrokenOff), not those that fell silent or that the gateway closed. The count is written when a link ends,
 * and not before a frame leaves, so that the end of the process counts against nothing.
 */
export function createSuspects({ outgoing, logFailed }: SuspectParts): Suspects {
  const locks = createKeyedQueue()
  const underWay = new Set<OutgoingRow>()
  const verdicts = new Map<string, GatewayError>()

  function count(row: OutgoingRow): Promise<unknown> {
    const { id, chat, breaks } = row
    if (breaks + 1 < MAX_BREAKS) return outgoing.broke(row)
    const error = gatewayError('SEND_FAILED', ['WhatsApp closed the connection on it twice; it was given up'])
    verdicts.set(id, error)
    const { code, message: reason } = error
    return logFailed({ id, chat, code, reason, network: '' }, [outgoing.ended(row, 'failed', error)])
  }

  return {
    begin: (row) => void underWay.add(row),
    end: (row) => void underWay.delete(row),
    alone: (work) => locks.run('', work),
    async blame() {
      const rows = [...underWay]
      const known = rows.filter(({ breaks }) => breaks > 0)
      await Promise.all((known.length > 0 ? known : rows).map(count))
    },
    verdictOn: ({ id }) => verdicts.get(id),
  }
}
