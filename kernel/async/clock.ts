/**
 * What follows the clock when a test sets it forward. Only the plugin sandbox does so (plugins/sandbox/clock), together with
 * `Date`; on any other gateway the clock is the machine's, and nothing here but the timers is used.
 *
 * Timers for work that is due after minutes or days belong here. Those of a protocol or a request (keep-alive, time-outs,
 * pauses of less than a second) keep to real time.
 */
export interface MovableClock {
  /** How far `Date` is ahead of the machine's clock, in milliseconds. */
  aheadMs: number
  /** Whether a test may set it forward. */
  isMovable: boolean
  /** It is on its way to a later time. */
  isMoving: boolean
  readonly due: Set<DueWork>
  readonly inProgress: Set<Promise<unknown>>
}

/** Work that is due at some time. */
export interface DueWork {
  /** Repeated work runs once after a jump, however often it was due; other work runs when the clock passes its time. */
  readonly isRepeated: boolean
  /** Milliseconds until it is due; Infinity if nothing is. */
  wait(): number | Promise<number>
  /** Runs what is due. */
  run(): unknown
  /** The clock was set forward, and it is not due yet. */
  moved?(): void
}

export interface Timer {
  stop(): void
}

export interface TimerOptions {
  isRepeated?: boolean
  /** Does not keep the process running. */
  isUnref?: boolean
}

declare global {
  var wamuxClock: MovableClock | undefined
}

// Global for the same reason as the table of errors (errors.ts): a process can load this module twice.
globalThis.wamuxClock ??= {
  aheadMs: 0,
  isMovable: false,
  isMoving: false,
  due: new Set(),
  inProgress: new Set(),
}
/** The clock of this process. */
export const clock: MovableClock = globalThis.wamuxClock

/** Node's longest timer. */
const MAX_MS = 2 ** 31 - 1

/** Runs `work` once, after `ms` milliseconds of a clock that can't be set back; `ms` may exceed the longest timer of Node. */
export function startTimer(ms: number, work: () => unknown, options: TimerOptions = {}): Timer {
  const { isRepeated = false, isUnref = false } = options
  const elapsed = (): number => performance.now() + clock.aheadMs
  const until = elapsed() + ms
  let timer: NodeJS.Timeout | undefined

  function arm(): void {
    clearTimeout(timer)
    const wait = Math.ceil(until - elapsed())
    timer = wait > MAX_MS ? setTimeout(arm, MAX_MS) : setTimeout(end, wait)
    if (isUnref) timer.unref()
  }
  function stop(): void {
    clearTimeout(timer)
    clock.due.delete(due)
  }
  function run(): unknown {
    stop()
    return work()
  }
  function end(): void {
    // It stays due, and runs once at the end of the jump.
    if (!(isRepeated && clock.isMoving)) run()
  }
  const wait = (): number => until - elapsed()
  // What is due now is left to the one who has set the clock forward.
  const moved = (): void => void (wait() > 0 && arm())
  const due: DueWork = { isRepeated, wait, run, moved }
  clock.due.add(due)
  arm()
  return { stop }
}

/** Registers work that is due at a stored time rather than by a timer; returns a function that removes it. */
export function watchDue(work: DueWork): () => void {
  clock.due.add(work)
  return () => void clock.due.delete(work)
}

/** A clock that is set forward waits for this work before it goes on. */
export function inProgress<T>(work: Promise<T>): Promise<T> {
  if (!clock.isMovable) return work
  clock.inProgress.add(work)
  const end = (): void => void clock.inProgress.delete(work)
  work.then(end, end)
  return work
}
