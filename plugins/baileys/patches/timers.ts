import { AsyncLocalStorage } from 'node:async_hooks'

interface Timers {
  readonly open: Set<NodeJS.Timeout>
  isReleased: boolean
}

const owner = new AsyncLocalStorage<Timers>()
const owners = new WeakMap<NodeJS.Timeout, Timers>()

/**
 * Runs `open` and tracks the timers that are started in it and in its async context.
 *
 * @returns its result, and `release`, after which none of those timers, later ones included, keeps the process alive.
 */
export function owningTimers<T>(open: () => T): { made: T; release(): void } {
  const timers: Timers = { open: new Set(), isReleased: false }
  return {
    made: owner.run(timers, open),
    release() {
      timers.isReleased = true
      for (const timer of timers.open) timer.unref()
      timers.open.clear()
    },
  }
}

/**
 * Tracks the timers of each Baileys socket. An ended socket leaves guard timers of up to half a minute behind
 * (Socket/socket.js uploadPreKeys, Utils/generics.js promiseTimeout), which keep an otherwise finished process alive and
 * can't be reached in another way. Outside a link nothing changes.
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

export function verifyTimers(): boolean {
  const { made, release } = owningTimers(() => setTimeout(() => undefined, 60_000))
  release()
  const holds = made.hasRef()
  clearTimeout(made)
  return !holds
}
