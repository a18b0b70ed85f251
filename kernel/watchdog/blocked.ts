import type { PLACES, Work } from './activity.ts'

/** What kept the event loop from running. */
export interface Blocked {
  /** `POST /send/text`; absent if unknown. */
  readonly work?: string
  readonly plugin?: string
  /** Id of the session that the work is for; absent if there is none, or if it is unknown. */
  readonly session?: string
  /** If unknown: the works in progress, the latest first. */
  readonly underWay: readonly string[]
  /** Functions with file and line, the innermost first; none if it was not JavaScript. */
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
  /** Prefix removed from file paths. */
  readonly folder: string
}
