import type { BinaryNode } from '@whiskeysockets/baileys'

/**
 * Limit of stanzas received on all links but not yet logged. After a long absence thousands arrive at once; with this limit
 * they are committed and acknowledged in small batches, and other work runs in between.
 */
const MAX_IN_FLIGHT = 20
/** A session whose work hangs must not block the others. */
const MAX_WAIT_MS = 1_000

/** Holds back received stanzas while too many are in flight. */
export interface Backpressure {
  readonly isFull: boolean
  /** Counts the work as in flight until it ends or fails. */
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
  /** Maximum weight of waiting stanzas. */
  most: number
  /** Stops or resumes reading from the connection; while stopped, TCP flow control holds the network back. */
  setPaused(isPaused: boolean): void
  /** A stanza has waited too long, or none does any more. */
  onSlow(isSlow: boolean): void
  traffic: { waiting: number; paused: number }
  slowMs?: number
}

/** Bounds the stanzas that a link has received but not handled: Baileys' own queue has no bound. */
export interface ReadGate {
  readonly isPaused: boolean
  /** Counts a stanza as waiting until the returned function is called. */
  enter(stanza?: BinaryNode): () => void
  /** A text if the storage does not keep up; otherwise undefined. */
  readonly slow: string | undefined
  /** The link has ended: waiting stanzas are delivered to the next one. */
  close(): void
}

/** A stanza up to this size counts once, a larger one several times. */
const STANZA_BYTES = 8_192
/** Twice as long as the last stanza of a full backlog waits for a healthy storage. */
const SLOW_MS = 10_000
const AGAIN_MS = 1_000

export function createReadGate(parts: GateParts): ReadGate {
  const { most, setPaused, onSlow, traffic, slowMs = SLOW_MS } = parts
  /** In the order of arrival. */
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

  /** Runs while a stanza waits. */
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
      return isSlow ? `stanzas arrive faster than they are stored: ${waiting.size} wait` : undefined
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

/** By its ciphertexts, which are nearly all of a stanza. */
function weightOf({ content }: Partial<BinaryNode> = {}): number {
  const parts = Array.isArray(content) ? content : []
  const bytes = parts.reduce(
    (sum, part) => sum + (part.content instanceof Uint8Array ? part.content.length : 0),
    0,
  )
  return Math.max(1, Math.ceil(bytes / STANZA_BYTES))
}
