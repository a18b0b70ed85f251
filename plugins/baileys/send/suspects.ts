import {
  createSerialQueue,
  type GatewayError,
  type GatewaySignals,
  gatewayError,
  type RaiseOptions,
  type Write,
} from 'wamux/plugin'
import type { Outgoing, OutgoingRow } from '../store/outgoing.ts'

export interface SuspectParts {
  outgoing: Outgoing
  logFailed(
    failed: GatewaySignals['message.failed'],
    writes: readonly Write[],
    options: RaiseOptions,
  ): Promise<unknown>
}

/** Finds the message that makes the network close the link. */
export interface Suspects {
  begin(row: OutgoingRow): void
  end(row: OutgoingRow): void
  /** Runs the sends of suspects one after the other. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Counts a link that the network closed against the messages in flight. */
  blame(): Promise<void>
  /** The error with which the row was given up; undefined if it was not. */
  failureOf(row: OutgoingRow): GatewayError | undefined
}

/** A row that was in flight when so many links were closed is given up. */
const MAX_BREAKS = 2

/**
 * A message that the network can't read makes it close the link, and every later link that sends the message again. All
 * messages in flight at the first time, between `relayMessage` and their ack, are suspects. Suspects are then sent one
 * after the other, while messages of other chats go on, and a link that is closed meanwhile counts against the one suspect
 * in flight: this is its second time, and it is given up as failed. Only links that the network itself closed count
 * (isBrokenOff), not those that were silent or that the gateway closed. The count is written when a link ends, not before
 * a frame is sent, so that the end of the process counts against no message.
 */
export function createSuspects({ outgoing, logFailed }: SuspectParts): Suspects {
  const queue = createSerialQueue()
  const inFlight = new Set<OutgoingRow>()
  const failures = new Map<string, GatewayError>()

  function count(row: OutgoingRow): Promise<unknown> {
    const { id, chat, breaks, traceparent, annotations } = row
    if (breaks + 1 < MAX_BREAKS) return outgoing.broke(row)
    const error = gatewayError('SEND_FAILED', ['WhatsApp closed the connection on it twice; it was given up'])
    failures.set(id, error)
    const { code, message: reason } = error
    const failed = { id, chat, code, reason, network: '', annotations }
    return logFailed(failed, [outgoing.ended(row, 'failed', error)], { traceparent })
  }

  return {
    begin: (row) => void inFlight.add(row),
    end: (row) => void inFlight.delete(row),
    alone: (work) => queue.run(work),
    async blame() {
      const rows = [...inFlight]
      const known = rows.filter(({ breaks }) => breaks > 0)
      await Promise.all((known.length > 0 ? known : rows).map(count))
    },
    failureOf: ({ id }) => failures.get(id),
  }
}
