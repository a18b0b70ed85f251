/** Something that changed on the network, for its watchers. */
export interface FeedEvent {
  readonly seq: number
  /** Milliseconds since 1970. */
  readonly time: number
  readonly kind: FeedKind
  /** Phone number of the account; '' for the whole network. */
  readonly phone: string
  /** As of the call, not of the change. */
  view(): Record<string, unknown>
}

/** `phone`: an account, its companions or calls. `message`: one that is new or changed. `typing`, `fault`, `stanza`. */
export type FeedKind = 'phone' | 'message' | 'typing' | 'fault' | 'stanza'

/** The last changes, in order. Watchers read from where they are; none has a queue of its own. */
export interface Feed {
  /** Distinguishes the seqs of this process from those of an earlier one. */
  readonly epoch: string
  /** Seq of the newest event. */
  readonly last: number
  publish(kind: FeedKind, phone: string, view?: () => Record<string, unknown>): void
  /** Events with a larger seq, oldest first; undefined if some of them are gone. */
  after(seq: number): readonly FeedEvent[] | undefined
  /** Resolves with whether there are events with a larger seq, within `ms` milliseconds. */
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
      // In steps, because removing the first of many costs as much as removing a hundred.
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
