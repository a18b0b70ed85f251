import { AsyncLocalStorage } from 'node:async_hooks'

interface Timers {
  readonly open: Set<NodeJS.Timeout>
  isReleased: boolean
}

const owner = new AsyncLocalStorage<Timers>()
const owners = new WeakMap<NodeJS.Timeout, Timers>()
/** Number of links whose timers are being tracked. */
let tracked = 0
/** Work left on an ended socket may start timers for a moment. */
const AFTER_END_MS = 1_000

export interface OwnedTimers<T> {
  made: T
  /** Ends the tracking: later timers are unknown. */
  untrack(): void
  /** From now on no known timer keeps the process alive. Ends the tracking a moment later. */
  release(): void
}

/**
 * Runs `open` and tracks the timers that it starts, also in its async context, until `untrack` or `release`. While any link
 * is tracked, Node before 24 calls a hook for every promise of the process: untrack a link once it is open.
 */
export function owningTimers<T>(open: () => T): OwnedTimers<T> {
  const timers: Timers = { open: new Set(), isReleased: false }
  let isTracked = true
  tracked += 1
  function untrack(): void {
    if (!isTracked) return
    isTracked = false
    tracked -= 1
    if (tracked === 0) owner.disable()
  }
  return {
    made: owner.run(timers, open),
    untrack,
    release() {
      timers.isReleased = true
      for (const timer of timers.open) timer.unref()
      timers.open.clear()
      if (isTracked) setTimeout(untrack, AFTER_END_MS).unref()
    },
  }
}

/**
 * Tracks the timers of each Baileys socket. An ended socket leaves guard timers of up to half a minute (Socket/socket.js
 * uploadPreKeys, Utils/generics.js promiseTimeout), which keep an otherwise finished process alive and can't be reached in
 * another way. Outside a link nothing changes.
 */
export function patchTimers(): void {
  const { setTimeout: start, clearTimeout: stop } = globalThis
  function setTimeout(
    callback: (...args: unknown[]) => void,
    ms?: number,
    ...args: unknown[]
  ): NodeJS.Timeout {
    const timers = owner.getStore()
    if (!timers) return start(callback, ms, ...args)
    const timer = start(() => {
      timers.open.delete(timer)
      callback(...args)
    }, ms)
    if (timers.isReleased) return timer.unref()
    timers.open.add(timer)
    owners.set(timer, timers)
    return timer
  }
  function clearTimeout(timer?: NodeJS.Timeout | string | number): void {
    if (typeof timer === 'object') owners.get(timer)?.open.delete(timer)
    stop(timer)
  }
  // Includes util.promisify.custom, its promise form.
  Object.defineProperties(setTimeout, Object.getOwnPropertyDescriptors(start))
  Object.assign(globalThis, { setTimeout, clearTimeout })
}

/** Number of tracked links. */
export function trackedLinks(): number {
  return tracked
}

export function verifyTimers(): boolean {
  const { made, untrack, release } = owningTimers(() => setTimeout(() => undefined, 60_000))
  release()
  untrack()
  const holds = made.hasRef()
  clearTimeout(made)
  return !holds
}
