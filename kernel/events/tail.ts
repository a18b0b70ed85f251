import type { EventFilter, LogEvent } from '../types/events.ts'

/**
 * The newest lines of the log in memory: a reader that keeps up needs neither a query nor a decryption. It is as good as
 * the table because only one process writes to a database, and its writer commits in the order of seq.
 */
export interface Tail {
  /** Adds committed lines, oldest first. @param size of a stored line in bytes. */
  add(lines: readonly LogEvent[], size: (line: LogEvent) => number): void
  /** Lines after `seq`; undefined when some of them may only be in the table. */
  after(seq: number, limit: number, filter: EventFilter): LogEvent[] | undefined
  clear(): void
}

/** A line with a preview picture has some dozens of kilobytes. */
const MAX = { lines: 2_000, bytes: 8_000_000 }

export function createTail(): Tail {
  let kept: { line: LogEvent; size: number }[] = []
  let bytes = 0
  /** All lines after this seq are kept; undefined before the first line. */
  let since: number | undefined

  function trim(): void {
    if (kept.length <= MAX.lines && bytes <= MAX.bytes) return
    // Half of them at once: each removal moves all the others.
    const out = kept.splice(0, Math.ceil(kept.length / 2))
    for (const { size } of out) bytes -= size
    since = out.at(-1)?.line.seq
    trim()
  }

  return {
    add(lines, sizeOf) {
      for (const line of lines) {
        since ??= line.seq - 1
        const size = sizeOf(line)
        kept.push({ line, size })
        bytes += size
      }
      trim()
    },
    after(seq, limit, { session, classes }) {
      if (since === undefined || seq < since) return undefined
      const isAny = !classes || classes.includes('All')
      const found: LogEvent[] = []
      for (let at = firstAfter(kept, seq); at < kept.length && found.length < limit; at += 1) {
        const { line } = kept[at] as { line: LogEvent }
        if (session && line.session !== session) continue
        if (isAny || classes.includes(line.class)) found.push(line)
      }
      return found
    },
    clear() {
      kept = []
      bytes = 0
      since = undefined
    },
  }
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
