import type { LogEvent } from 'wamux/plugin'

/** One event to be delivered to one endpoint. */
export interface Delivery {
  readonly endpoint: string
  readonly seq: number
  /** The event's lane; a lane of its own once it has blocked that one for too long. */
  readonly lane: string
  readonly jid: string
  readonly attempts: number
  readonly step: number
  readonly nextAt: number
  /** When it was enqueued, milliseconds since 1970. */
  readonly entered: number
  /** Numbers of the bodies that are still to be accepted, where there are several; all of them when absent. */
  readonly parts?: readonly number[] | undefined
  readonly line: LogEvent
}

/** What identifies its row. */
export const KEY = ['seq', 'endpoint']
