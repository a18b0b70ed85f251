import type { EventFilter, LogEvent } from '../types/events.ts'

/** The log as this process writes it, for consumers, in addition to `Events`. */
export interface OwnLines {
  /** Lines after `seq` that this process logged, from memory; undefined if some of them are no longer kept. */
  own(seq: number, limit: number): LogEvent[] | undefined
  /** Number of kept own lines after `seq`. */
  count(seq: number): number
  /** All own lines after this seq are kept. */
  since(): number
  /** Seq of the newest own line; 0 at first. */
  newest(): number
  /** At most `limit` lines per session after its seq, oldest first, in one query. */
  afterEach(
    seqs: readonly [session: string, seq: number][],
    limit: number,
    filter: EventFilter,
  ): Promise<LogEvent[]>
  /** Calls `listener` when it is unknown whether lines of a session were committed: the table may have them. */
  watchLost(listener: (session: string) => void): void
}

/**
 * The newest lines that this process logged, in memory: a reader that keeps up needs neither a query nor a decryption. The
 * writer commits in the order of seq, so they are in that order too. Lines of other processes are not included.
 */
interface Tail extends Pick<OwnLines, 'own' | 'count' | 'since' | 'newest'> {
  /** Adds committed lines, oldest first. @param size bytes of a stored line. */
  add(lines: readonly LogEvent[], size: (line: LogEvent) => number): void
  /** Lines of a session after `seq`, as in the table; undefined if some may be only there. */
  after(seq: number, limit: number, filter: EventFilter & { session: string }): LogEvent[] | undefined
  /** Says that the table may have lines of the session that were not added. */
  forget(session: string): void
  /** Removes lines dropped from the table: by session, up to a seq. */
  drop(dropped: ReadonlyMap<string, number>): void
}

/** A line with a preview picture takes some dozens of kilobytes. */
const MAX = { lines: 2_000, bytes: 8_000_000 }

export function createTail(): Tail {
  let kept: { line: LogEvent; size: number }[] = []
  let bytes = 0
  let since = 0
  /** By session, the first own line after which no other process has logged any. */
  const first = new Map<string, number>()

  function trim(): void {
    if (kept.length <= MAX.lines && bytes <= MAX.bytes) return
    // Removes half of them at once: each removal moves all others.
    const out = kept.splice(0, Math.ceil(kept.length / 2))
    for (const { size } of out) bytes -= size
    since = out.at(-1)?.line.seq ?? since
    trim()
  }

  function find(seq: number, limit: number, matches: (line: LogEvent) => boolean): LogEvent[] | undefined {
    if (seq < since) return undefined
    const found: LogEvent[] = []
    for (let at = firstAfter(kept, seq); at < kept.length && found.length < limit; at += 1) {
      const { line } = kept[at] as { line: LogEvent }
      if (matches(line)) found.push(line)
    }
    return found
  }

  return {
    add(lines, sizeOf) {
      for (const line of lines) {
        if (!first.has(line.session)) first.set(line.session, line.seq)
        const size = sizeOf(line)
        kept.push({ line, size })
        bytes += size
      }
      trim()
    },
    own: (seq, limit) => find(seq, limit, () => true),
    after(seq, limit, filter) {
      if (seq < (first.get(filter.session) ?? Number.POSITIVE_INFINITY)) return undefined
      return find(seq, limit, (line) => line.session === filter.session && isIncluded(line, filter))
    },
    count: (seq) => kept.length - firstAfter(kept, seq),
    since: () => since,
    newest: () => kept.at(-1)?.line.seq ?? since,
    forget: (session) => void first.delete(session),
    drop(dropped) {
      kept = kept.filter(({ line }) => line.seq > (dropped.get(line.session) ?? 0))
      bytes = kept.reduce((sum, { size }) => sum + size, 0)
    },
  }
}

/** Whether a line passes a filter's classes, types and lane. */
export function isIncluded(line: LogEvent, { classes, types, lane }: EventFilter): boolean {
  if (lane !== undefined && line.lane !== lane) return false
  if (types && !types.includes(line.type)) return false
  return !classes || classes.includes('All') || classes.includes(line.class)
}

function firstAfter(kept: readonly { line: LogEvent }[], seq: number): number {
  let [low, high] = [0, kept.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((kept[middle]?.line.seq ?? 0) > seq) high = middle
    else low = middle + 1
  }
  return low
}
