import type { GatewayError } from '../errors.ts'
import type { SessionState } from '../types/session.ts'

/** A client's state, its reason and the QR text on show, for others to wait on. */
export interface Status {
  readonly state: SessionState
  readonly reason: string
  readonly failure: GatewayError | undefined
  readonly qr: string | undefined
  /** A link is open, or about to be. */
  readonly isUp: boolean
  change(to: SessionState, why?: string, failure?: GatewayError): void
  /** A QR text to scan; while a pairing code is being typed the state stays `code`. */
  show(qr: string): void
  /** Something beside the state changed that waiters may look at. */
  touch(): void
  /** Resolves true as soon as `settled` holds, false after `ms`. */
  until(settled: () => boolean, ms: number): Promise<boolean>
}

export function createStatus(): Status {
  const watchers = new Set<() => void>()
  let state: SessionState = 'offline'
  let reason = ''
  let failure: GatewayError | undefined
  let qr: string | undefined

  const touch = (): void => {
    for (const watcher of [...watchers]) watcher()
  }
  return {
    get state() {
      return state
    },
    get reason() {
      return reason
    },
    get failure() {
      return failure
    },
    get qr() {
      return qr
    },
    get isUp() {
      return ['connecting', 'scan', 'code', 'passkey', 'open'].includes(state)
    },
    change(to, why = '', cause) {
      state = to
      reason = why
      failure = cause
      // The code on show can be scanned as well while another is typed.
      if (to !== 'code') qr = undefined
      touch()
    },
    show(code) {
      if (state !== 'code') {
        state = 'scan'
        reason = ''
      }
      qr = code
      touch()
    },
    touch,
    until(settled, ms) {
      return new Promise((resolve) => {
        const finish = (held: boolean): void => {
          clearTimeout(limit)
          watchers.delete(check)
          resolve(held)
        }
        const check = (): void => {
          if (settled()) finish(true)
        }
        const limit = setTimeout(() => finish(false), ms)
        watchers.add(check)
        check()
      })
    },
  }
}
