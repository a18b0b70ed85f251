import type { GatewayError } from '../errors.ts'
import type { CloseReason, LinkEvent } from '../types/driver.ts'
import type { ClientState } from './transitions.ts'

export interface StatusDetails {
  /** Why it is in this state; '' without a reason. */
  readonly reason: string
  /** How the last link ended, if that is why it is in this state. */
  readonly cause: CloseReason | undefined
  /** Whether a requested logout caused it. */
  readonly isOnRequest: boolean
  /** The storage error that keeps the link down. */
  readonly failure: GatewayError | undefined
  /** The network's code for how the last link ended; '' without one. */
  readonly code: string
  /** No link is opened before this time (milliseconds since 1970); 0 without one. */
  readonly until: number
  /** The QR text being shown. */
  readonly qr: string | undefined
}

/** A client's state with its details; others can wait for a change. */
export interface Status {
  readonly state: ClientState
  readonly details: StatusDetails
  /** Details that are not given are cleared; a QR text stays while the state is `code`. */
  change(to: ClientState, details?: Partial<StatusDetails>): void
  /** Makes waiters check again, after a change other than the state. */
  touch(): void
  /** Resolves true as soon as `condition` holds, false after `ms`. */
  waitFor(condition: () => boolean, ms: number): Promise<boolean>
}

export function createStatus(): Status {
  const waiters = new Set<() => void>()
  let state: ClientState = 'offline'
  let details: StatusDetails = {
    reason: '',
    cause: undefined,
    isOnRequest: false,
    failure: undefined,
    code: '',
    until: 0,
    qr: undefined,
  }

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
    change(to, { reason = '', cause, isOnRequest = false, failure, code = '', until = 0, qr } = {}) {
      state = to
      const shown = qr ?? (to === 'code' ? details.qr : undefined)
      details = { reason, cause, isOnRequest, failure, code, until, qr: shown }
      touch()
    },
    touch,
    waitFor(condition, ms) {
      return new Promise((resolve) => {
        const finish = (isMet: boolean): void => {
          clearTimeout(limit)
          waiters.delete(check)
          resolve(isMet)
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

/** Why it is in this state, in words; the QR text to show. */
export function detailsOf(event: Exclude<LinkEvent, { type: 'closed' }>): Partial<StatusDetails> {
  if (event.type === 'qr') return { qr: event.code }
  return 'detail' in event ? { reason: `${PREFIXES[event.type]}${event.detail}` } : {}
}

const PREFIXES = {
  passkey: 'PASSKEY_REQUIRED: ',
  'passkey-confirm': 'PASSKEY_CONFIRMATION: ',
  'passkey-failed': 'PASSKEY_FAILED: ',
  'code-ended': '',
} as const
