import { AsyncLocalStorage } from 'node:async_hooks'

interface Timers {
  readonly open: Set<NodeJS.Timeout>
  isReleased: boolean
}

const owner = new AsyncLocalStorage<Timers>()
const owners = new WeakMap<NodeJS.Timeout, Timers>()

/**
 * Runs `open` and remembers the timers that begin in it and in all that follows from it.
 *
 * @returns what it made, and `release`, after which none of those timers keeps the process alive, later ones included.
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
 * Lets each link know the timers of its Baileys socket. Baileys ends a socket and leaves guards of up to half a
 * minute behind (Socket/socket.js uploadPreKeys, Utils/generics.js promiseTimeout), for which a process that has
 * nothing more to do goes on waiting. They can't be found otherwise. Outside a link nothing changes.
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
  // Its promise form among them.
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
