import type { SessionState } from '../types/session.ts'

/** A client's state, its reason and the QR text on show, for others to wait on. */
export interface Status {
  readonly state: SessionState
  readonly reason: string
  readonly qr: string | undefined
  change(to: SessionState, why?: string): void
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
    get qr() {
      return qr
    },
    change(to, why = '') {
      state = to
      reason = why
      qr = undefined
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
