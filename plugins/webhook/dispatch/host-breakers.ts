import { startTimer, type Timer } from 'wamux/plugin'
import type { WebhookConfig } from '../config.ts'
import { type Breaker, createBreaker } from './breaker.ts'

/** A circuit breaker for each host, and the timers that make open ones half-open. */
export interface HostBreakers {
  of(url: string): Breaker
  /** By host. */
  all(): ReadonlyMap<string, Breaker>
  /** A request to the host ended; `unknown` when it was aborted. */
  report(url: string, result: 'up' | 'down' | 'unknown'): void
  onTransition(listener: (host: string, to: Breaker['state']) => void): void
  stop(): void
}

/** Number of addresses whose breaker is remembered. */
const MAX_URLS = 10_000

export function createHostBreakers({ config }: { config: WebhookConfig }): HostBreakers {
  const breakers = new Map<string, Breaker>()
  const timers = new Map<string, Timer>()
  let isStopped = false
  const listeners: ((host: string, to: Breaker['state']) => void)[] = []
  const options = {
    failures: config.breakerFailures,
    firstMs: config.breakerSeconds * 1000,
    now: () => Date.now(),
  }

  /** Called several times per delivery, always for the addresses of a few endpoints. */
  const byUrl = new Map<string, Breaker>()

  function of(url: string): Breaker {
    const known = byUrl.get(url)
    if (known) return known
    const host = hostOf(url)
    const breaker = breakers.get(host) ?? createBreaker(options)
    breakers.set(host, breaker)
    if (byUrl.size >= MAX_URLS) byUrl.clear()
    byUrl.set(url, breaker)
    return breaker
  }
  function notify(host: string, to: Breaker['state']): void {
    for (const listener of listeners) listener(host, to)
  }
  function clearTimer(host: string): void {
    timers.get(host)?.stop()
    timers.delete(host)
  }

  /** A timer may fire slightly early by the clock: while the breaker is still open the timer is set again. */
  function notifyWhenHalfOpen(host: string): void {
    const { state, until } = breakers.get(host) ?? { state: 'closed', until: 0 }
    if (state === 'half-open') notify(host, 'half-open')
    if (state !== 'open' || isStopped) return
    const wait = Math.max(1, until - Date.now())
    timers.set(
      host,
      startTimer(wait, () => notifyWhenHalfOpen(host)),
    )
  }

  return {
    of,
    all: () => breakers,
    report(url, result) {
      const breaker = of(url)
      if (result === 'unknown') breaker.cancelled()
      else if (result === 'up' && breaker.succeeded()) {
        const host = hostOf(url)
        clearTimer(host)
        notify(host, 'closed')
      } else if (result === 'down' && breaker.failed()) {
        const host = hostOf(url)
        clearTimer(host)
        notify(host, 'open')
        notifyWhenHalfOpen(host)
      }
    },
    onTransition: (listener) => void listeners.push(listener),
    stop() {
      isStopped = true
      for (const timer of timers.values()) timer.stop()
    },
  }
}

/** Scheme, name and port. Everything else in an address may be a secret, its user and password too. */
export function hostOf(url: string): string {
  const [, scheme = '', host = ''] = /^(https?:\/\/)(?:[^/?#]*@)?([^/?#]*)/i.exec(url) ?? []
  return (scheme + host).toLowerCase()
}
