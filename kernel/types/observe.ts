import type { Histogram } from '../histogram.ts'

export interface Sample {
  readonly value: number | Histogram
  readonly labels?: Readonly<Record<string, string>>
}

/** A number that a plugin counts or measures anyway, with a function to read it. */
export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** Runs only when metrics are read. A plain number is one sample without labels. */
  collect(): number | readonly Sample[] | Promise<number | readonly Sample[]>
}

/** Checks something without which the gateway can't serve. */
export interface HealthCheck {
  /** Milliseconds after which it counts as failed; default 3,000. */
  readonly timeoutMs?: number
  /** Resolves with the reason why it does not work, in words that anyone may read; undefined if it works. */
  check(): Promise<string | undefined>
}

/** Measurements of the kernel itself. */
export interface Statistics {
  /** Seconds of each commit. */
  readonly commits: Histogram
  /** Writes that wait for a commit. */
  readonly queuedWrites: number
  /** By consumer: the number of logged lines that it has not handled yet, of all classes. */
  readonly consumerLag: Readonly<Record<string, number>>
  /** Server-sent events, WebSockets and requests that wait. */
  readonly openStreams: number
  /** Lines of the log that were dropped, because nobody read standard output in time. */
  readonly droppedLogLines: number
  /** The activities that blocked the event loop for longer than the watchdog allows; '' if unknown. */
  readonly blocked: readonly {
    readonly work: string
    readonly plugin: string
    readonly count: number
    readonly seconds: number
  }[]
}
