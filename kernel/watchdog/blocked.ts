import type { PLACES, Work } from './activity.ts'

/** What kept the event loop from running. */
export interface Blocked {
  /** `POST /send/text`; absent where it is not known. */
  readonly work?: string
  readonly plugin?: string
  /** Where it is not known: the works that were under way, the last first. */
  readonly underWay: readonly string[]
  /** Functions and their places, the innermost first; none where it was not JavaScript. */
  readonly at: readonly string[]
  readonly ms: number
}

export interface WatchData {
  readonly shared: SharedArrayBuffer
  readonly works: readonly Work[]
  readonly places: typeof PLACES
  readonly blockedMs: number
  /** File descriptor of the log. */
  readonly output: number | undefined
  /** Left out of the places. */
  readonly folder: string
}
