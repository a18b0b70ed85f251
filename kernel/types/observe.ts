import type { Histogram } from '../histogram.ts'

export interface Sample {
  readonly value: number | Histogram
  readonly labels?: Readonly<Record<string, string>>
}

/** A number that a plugin counts or measures anyway, and how to read it. */
export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** Runs when metrics are read, never otherwise. A plain number is one sample without labels. */
  collect(): number | readonly Sample[] | Promise<number | readonly Sample[]>
}

/** Whether something works without which the gateway can't serve. */
export interface HealthCheck {
  /** Milliseconds after which it counts as failed; default 3,000. */
  readonly timeoutMs?: number
  /** Resolves with why it does not work, in words that anyone may read; undefined if it does. */
  check(): Promise<string | undefined>
}

/** What the kernel itself measures. */
export interface Statistics {
  /** Seconds of each commit. */
  readonly commits: Histogram
  /** Writes that wait for a commit. */
  readonly queuedWrites: number
  /** By consumer: the number of logged lines that it has not handled yet, those of other classes included. */
  readonly consumerLag: Readonly<Record<string, number>>
  /** Server-sent events, WebSockets and requests that wait. */
  readonly openStreams: number
  /** What has blocked the event loop for longer than the watchdog allows; '' where it is not known. */
  readonly blocked: readonly {
    readonly work: string
    readonly plugin: string
    readonly count: number
    readonly seconds: number
  }[]
}
