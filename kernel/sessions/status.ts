import type { GatewayError } from '../errors.ts'
import type { CloseReason } from '../types/driver.ts'
import type { ClientState } from './transitions.ts'

export interface StatusDetails {
  /** Why it is in this state; '' when there is nothing to say. */
  readonly reason: string
  /** How the last link ended, if that is why it is in this state. */
  readonly cause: CloseReason | undefined
  /** The storage error that keeps the link down. */
  readonly failure: GatewayError | undefined
  /** The QR text on show. */
  readonly qr: string | undefined
}

/** A client's state and its details, which others can wait on. */
export interface Status {
  readonly state: ClientState
  readonly details: StatusDetails
  /** Details that are not given are cleared; a QR text stays while the state is `code`. */
  change(to: ClientState, details?: Partial<StatusDetails>): void
  /** Makes waiters check again: something beside the state has changed. */
  touch(): void
  /** Resolves true as soon as `condition` holds, false after `ms`. */
  waitFor(condition: () => boolean, ms: number): Promise<boolean>
}

export function createStatus(): Status {
  const waiters = new Set<() => void>()
  let state: ClientState = 'offline'
  let details: StatusDetails = { reason: '', cause: undefined, failure: undefined, qr: undefined }

  const touch = (): void => {
    for (const check of [...waiters]) check()
  }
  return {
    get state() {
      return state
    },
    get details() {
      return details
    },
    change(to, { reason = '', cause, failure, qr } = {}) {
      state = to
      details = { reason, cause, failure, qr: qr ?? (to === 'code' ? details.qr : undefined) }
      touch()
    },
    touch,
    waitFor(condition, ms) {
      return new Promise((resolve) => {
        const finish = (held: boolean): void => {
          clearTimeout(limit)
          waiters.delete(check)
          resolve(held)
        }
        const check = (): void => {
          if (condition()) finish(true)
        }
        const limit = setTimeout(() => finish(false), ms)
        waiters.add(check)
        check()
      })
    },
  }
}
