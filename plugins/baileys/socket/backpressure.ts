import type { BinaryNode } from '@whiskeysockets/baileys'

/**
 * How many stanzas of all links may be received and not yet logged. After a long absence thousands arrive at once; with
 * this limit they are committed and acknowledged in small batches, and other work runs in between.
 */
const MAX_IN_FLIGHT = 20
/** A session whose work hangs must not block the others. */
const MAX_WAIT_MS = 1_000

/** Holds back received stanzas while too many are in flight. */
export interface Backpressure {
  readonly isFull: boolean
  /** Counts the work as in flight until it has ended or failed. */
  track<T>(work: Promise<T>): Promise<T>
  /** Resolves when there is capacity, or after a second. */
  ready(): Promise<void>
}

export function createBackpressure(maxInFlight = MAX_IN_FLIGHT): Backpressure {
  const waiting = new Set<() => void>()
  let inFlight = 0

  function release(): void {
    inFlight -= 1
    for (const resume of [...waiting].slice(0, Math.max(0, maxInFlight - inFlight))) resume()
  }

  return {
    get isFull() {
      return inFlight >= maxInFlight
    },
    track(work) {
      inFlight += 1
      work.then(release, release)
      return work
    },
    ready() {
      if (inFlight < maxInFlight) return Promise.resolve()
      return new Promise((resolve) => {
        const resume = (): void => {
          clearTimeout(timer)
          waiting.delete(resume)
          resolve()
        }
        const timer = setTimeout(resume, MAX_WAIT_MS)
        waiting.add(resume)
      })
    },
  }
}

export interface GateParts {
  /** Stanzas that may wait. */
  most: number
  /** Stops reading from the connection, so that the network's own flow control holds back what comes; and goes on. */
  setPaused(isPaused: boolean): void
  /** A stanza has waited for too long; and none does any more. */
  onSlow(isSlow: boolean): void
  traffic: { waiting: number; paused: number }
  slowMs?: number
}

/** Bounds what a link has received and not handled: Baileys' own queue of stanzas has no bound. */
export interface ReadGate {
  readonly isPaused: boolean
  /** Counts a stanza as waiting until the function that this returns is called. */
  enter(stanza?: BinaryNode): () => void
  /** That the storage does not keep up, in words; undefined where it does. */
  readonly slow: string | undefined
  /** The link has ended: what waits is delivered to the next one. */
  close(): void
}

/** A stanza of this size or less counts once, a larger one more often. */
const STANZA_BYTES = 8_192
/** Twice as long as the last one of a full backlog waits where the storage is fine. */
const SLOW_MS = 10_000
const AGAIN_MS = 1_000

export function createReadGate(parts: GateParts): ReadGate {
  const { most, setPaused, onSlow, traffic, slowMs = SLOW_MS } = parts
  /** In the order of their arrival. */
  const waiting = new Set<{ readonly at: number; readonly weight: number }>()
  let weight = 0
  let isPaused = false
  let isSlow = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  function pause(paused: boolean): void {
    isPaused = paused
    traffic.paused += paused ? 1 : -1
    setPaused(paused)
  }

  /** Runs as long as something waits. */
  function look(): void {
    const [oldest] = waiting
    const age = oldest ? performance.now() - oldest.at : 0
    if (age >= slowMs !== isSlow) {
      isSlow = !isSlow
      onSlow(isSlow)
    }
    timer = oldest || isSlow ? setTimeout(look, isSlow ? AGAIN_MS : slowMs - age).unref() : undefined
  }

  return {
    get isPaused() {
      return isPaused
    },
    get slow() {
      return isSlow
        ? `what is received is stored more slowly than it comes: ${waiting.size} stanzas wait`
        : undefined
    },
    enter(stanza) {
      const entry = { at: performance.now(), weight: weightOf(stanza) }
      if (isClosed) return () => undefined
      waiting.add(entry)
      weight += entry.weight
      traffic.waiting += 1
      timer ??= setTimeout(look, slowMs).unref()
      if (!isPaused && weight >= most) pause(true)
      return () => {
        if (isClosed || !waiting.delete(entry)) return
        weight -= entry.weight
        traffic.waiting -= 1
        if (isPaused && weight <= most / 2) pause(false)
      }
    },
    close() {
      if (isClosed) return
      isClosed = true
      clearTimeout(timer)
      traffic.waiting -= waiting.size
      if (isPaused) traffic.paused -= 1
    },
  }
}

/** By the ciphertexts, which are nearly all of it. */
function weightOf({ content }: Partial<BinaryNode> = {}): number {
  const parts = Array.isArray(content) ? content : []
  const bytes = parts.reduce(
    (sum, part) => sum + (part.content instanceof Uint8Array ? part.content.length : 0),
    0,
  )
  return Math.max(1, Math.ceil(bytes / STANZA_BYTES))
}
