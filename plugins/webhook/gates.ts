import { type Breaker, createBreaker } from './breaker.ts'
import type { WebhookConfig } from './config.ts'

/** The breakers of all hosts, and the clock that opens them again. */
export interface Gates {
  of(url: string): Breaker
  /** One went out to it and ended: with success, with a failure of the host, or unknown. */
  tell(url: string, verdict: 'up' | 'down' | 'unknown'): void
  stop(): void
}

/** What happened to a host. */
export type Turn = 'opened' | 'probing' | 'closed'

export function createGates(config: WebhookConfig, onTurn: (host: string, turn: Turn) => void): Gates {
  const gates = new Map<string, Breaker>()
  const timers = new Map<string, NodeJS.Timeout>()

  function of(url: string): Breaker {
    const host = hostOf(url)
    const gate =
      gates.get(host) ??
      createBreaker({
        failures: config.breakerFailures,
        firstMs: config.breakerSeconds * 1000,
        now: Date.now,
      })
    gates.set(host, gate)
    return gate
  }
  function settle(host: string): void {
    clearTimeout(timers.get(host))
    timers.delete(host)
  }
  return {
    of,
    tell(url, verdict) {
      const host = hostOf(url)
      const gate = of(url)
      if (verdict === 'unknown') gate.cut()
      else if (verdict === 'up' && gate.succeeded()) {
        settle(host)
        onTurn(host, 'closed')
      } else if (verdict === 'down' && gate.failed()) {
        settle(host)
        const wait = Math.max(1, gate.until - Date.now())
        timers.set(
          host,
          setTimeout(() => onTurn(host, 'probing'), wait),
        )
        onTurn(host, 'opened')
      }
    },
    stop() {
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}

/** Scheme, name and port. */
export function hostOf(url: string): string {
  return /^https?:\/\/[^/?#]*/i.exec(url)?.[0].toLowerCase() ?? ''
}
