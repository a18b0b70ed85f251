import type { LogEvent } from 'wamux/plugin'

/** The delivery of one event to one endpoint. */
export interface Delivery {
  readonly endpoint: string
  readonly seq: number
  /** The event's lane, or its own lane once it has blocked that one for too long. */
  readonly lane: string
  readonly jid: string
  readonly attempts: number
  readonly step: number
  readonly nextAt: number
  /** When it was enqueued, milliseconds since 1970. */
  readonly entered: number
  /** Indexes of the bodies not accepted yet, if there are several; all of them when absent. */
  readonly parts?: readonly number[] | undefined
  readonly line: LogEvent
}

/** An event's delivery that was not attempted yet. */
export function newDelivery(
  endpoint: string,
  jid: string,
  line: LogEvent,
  entered: number = Date.now(),
): Delivery {
  const { seq, lane } = line
  return { endpoint, seq, lane, jid, attempts: 0, step: 0, nextAt: 0, entered, line }
}

/** The key of its row. */
export const KEY = ['seq', 'endpoint']
