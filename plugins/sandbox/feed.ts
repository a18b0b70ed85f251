/** A change on the network, for watchers. */
export interface FeedEvent {
  readonly seq: number
  /** Milliseconds since 1970. */
  readonly time: number
  readonly kind: FeedKind
  /** Phone number of the account; '' for the whole network. */
  readonly phone: string
  /** The state at the time of the call, not of the change. */
  view(): Record<string, unknown>
}

/** `phone`: an account, its companions or calls. `message`: a new or changed one. `typing`, `fault`, `stanza`. */
export type FeedKind = 'phone' | 'message' | 'typing' | 'fault' | 'stanza'

/** The last changes, in order. Watchers read from their own position; there is no queue per watcher. */
export interface Feed {
  /** Distinguishes the seqs of this process from those of earlier ones. */
  readonly epoch: string
  /** Seq of the newest event. */
  readonly last: number
  publish(kind: FeedKind, phone: string, view?: () => Record<string, unknown>): void
  /** Events with a seq above `seq`, oldest first; undefined if some of them were dropped. */
  after(seq: number): readonly FeedEvent[] | undefined
  /** Waits up to `ms` for events with a seq above `seq`; resolves with whether there are any. */
  wait(seq: number, ms: number, signal: AbortSignal): Promise<boolean>
}

const MAX_EVENTS = 2_000

export function createFeed(max = MAX_EVENTS): Feed {
  const events: FeedEvent[] = []
  const watchers = new Set<() => void>()
  let last = 0

  return {
    epoch: Date.now().toString(36),
    get last() {
      return last
    },
    publish(kind, phone, view = () => ({})) {
      last += 1
      events.push({ seq: last, time: Date.now(), kind, phone, view })
      // In batches, since removing the first element costs as much as removing a hundred.
      if (events.length > max * 1.1) events.splice(0, events.length - max)
      for (const wake of [...watchers]) wake()
    },
    after(seq) {
      const first = last - events.length
      return seq < first || seq > last ? undefined : events.slice(seq - first)
    },
    async wait(seq, ms, signal) {
      if (last !== seq || signal.aborted) return last !== seq
      await new Promise<void>((resolve) => {
        const end = (): void => {
          clearTimeout(timer)
          watchers.delete(end)
          signal.removeEventListener('abort', end)
          resolve()
        }
        const timer = setTimeout(end, ms)
        watchers.add(end)
        signal.addEventListener('abort', end)
      })
      return last !== seq
    },
  }
}
