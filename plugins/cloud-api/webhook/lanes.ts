import type { Held } from './backlog.ts'
import type { Failure } from './post.ts'

/** The bodies of one chat that wait, oldest first. */
export interface Lane {
  /** That of the events, or one of its own (`isAlone`). */
  readonly name: string
  readonly size: number
  /** Since when its receiver refuses the head, milliseconds since 1970; undefined where it does not. */
  readonly refusedAt: number | undefined
  head(): Held | undefined
}

/** The chats of one session that wait, and when they are tried again. */
export interface Lanes {
  /** Of the last failure; '' when none waits. */
  readonly error: string
  /** Number of bodies that wait. */
  readonly size: number
  /** When the oldest of them was stored, milliseconds since 1970; undefined when none waits. */
  readonly since: number | undefined
  has(seq: number, part: number): boolean
  /** It is delivered at once, unless earlier ones of its chat wait or the receiver is down. */
  add(lane: string, held: Held): void
  accepted(lane: Lane, held: Held): void
  failed(lane: Lane, failure: Failure): void
  /** Puts the head of a lane into one of its own. */
  detach(lane: Lane, held: Held, failure: Failure): void
  hurry(): void
  /** Delivers nothing more; resolves when the deliveries under way have ended. */
  stop(): Promise<void>
}

interface Entry extends Lane {
  readonly bodies: Held[]
  refusedAt: number | undefined
  failures: number
  isBusy: boolean
  timer: NodeJS.Timeout | undefined
}

const FIRST_MS = 250
const LONGEST_MS = 30_000
const LONGEST_ALONE_MS = 600_000

/** The lane of a body that its receiver refuses, so that the rest of its chat passes. */
export function aloneOf({ seq, part }: Pick<Held, 'seq' | 'part'>): string {
  return `alone ${seq} ${part}`
}

export function isAlone({ name }: Lane): boolean {
  return name.startsWith('alone ')
}

/**
 * While the receiver is down, the lane that waits longest is tried alone; once it accepts, all are tried at once.
 *
 * @param drain delivers a lane; ends with `accepted` for each body, or `failed`. It does not reject.
 */
export function createLanes(drain: (lane: Lane) => Promise<void>): Lanes {
  const working = new Set<Promise<void>>()
  const lanes = new Map<string, Entry>()
  const known = new Set<string>()
  let isDown = false
  let error = ''
  let isStopped = false

  const keyOf = ({ seq, part }: Pick<Held, 'seq' | 'part'>): string => `${seq}.${part}`

  function entryOf(name: string): Entry {
    const found = lanes.get(name)
    if (found) return found
    const bodies: Held[] = []
    const entry: Entry = {
      name,
      bodies,
      refusedAt: undefined,
      failures: 0,
      isBusy: false,
      timer: undefined,
      get size() {
        return bodies.length
      },
      head: () => bodies[0],
    }
    lanes.set(name, entry)
    return entry
  }

  function begin(entry: Entry): void {
    clearTimeout(entry.timer)
    entry.timer = undefined
    if (isStopped || entry.isBusy || entry.size === 0) return
    entry.isBusy = true
    const work = drain(entry).finally(() => working.delete(work))
    working.add(work)
  }

  function plan(entry: Entry, ms: number): void {
    clearTimeout(entry.timer)
    if (!isStopped) entry.timer = setTimeout(begin, ms, entry)
  }

  function beginAll(): void {
    for (const entry of lanes.values()) begin(entry)
  }

  function note(failure: Failure): void {
    const wasDown = isDown
    isDown = failure.isDown
    error = failure.reason
    // It answers again: it is the body that it refuses, and others need not wait.
    if (wasDown && !isDown) for (const entry of lanes.values()) if (!entry.timer) begin(entry)
  }

  return {
    get error() {
      return error
    },
    get size() {
      return known.size
    },
    get since() {
      const heads = [...lanes.values()].flatMap((entry) => entry.bodies.slice(0, 1))
      return heads.length > 0 ? Math.min(...heads.map(({ since }) => since)) : undefined
    },
    has: (seq, part) => known.has(keyOf({ seq, part })),
    add(name, held) {
      const entry = entryOf(name)
      entry.bodies.push(held)
      known.add(keyOf(held))
      // A lane that is being delivered goes on with it; while the receiver is down one lane tries for all.
      if (entry.isBusy || entry.timer) return
      if (!isDown || ![...lanes.values()].some(({ timer, isBusy }) => timer || isBusy)) begin(entry)
    },
    accepted(lane, held) {
      const entry = lane as Entry
      entry.bodies.shift()
      known.delete(keyOf(held))
      Object.assign(entry, { failures: 0, refusedAt: undefined })
      if (entry.size === 0) lanes.delete(entry.name)
      if (lanes.size === 0) error = ''
      if (!isDown) return
      isDown = false
      beginAll()
    },
    failed(lane, failure) {
      const entry = lane as Entry
      note(failure)
      entry.isBusy = false
      if (!failure.isDown) entry.refusedAt ??= Date.now()
      const wait = FIRST_MS * 2 ** Math.min(entry.failures, 20)
      entry.failures += 1
      plan(entry, Math.min(wait, isAlone(entry) ? LONGEST_ALONE_MS : LONGEST_MS))
    },
    detach(lane, held, failure) {
      const entry = lane as Entry
      note(failure)
      entry.bodies.shift()
      if (entry.size === 0) lanes.delete(entry.name)
      const own = entryOf(aloneOf(held))
      own.bodies.push(held)
      own.failures = entry.failures
      Object.assign(entry, { failures: 0, refusedAt: undefined })
      plan(own, LONGEST_MS)
    },
    hurry: beginAll,
    async stop() {
      isStopped = true
      for (const { timer } of lanes.values()) clearTimeout(timer)
      await Promise.all(working)
    },
  }
}
