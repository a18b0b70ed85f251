import type { CloseReason } from '../types/driver.ts'
import type { SessionState } from '../types/session.ts'

/** The link has ended, and none opens until somebody acts. These states outlive the client. */
const ENDED = ['logged-out', 'replaced', 'banned', 'failed'] as const
export type EndedState = (typeof ENDED)[number]

/** States of a client: the public ones, a logout in progress, a stop during one, and the end. */
export type ClientState = SessionState | ('logging-out' | 'stopping' | 'stopped') | `stopped ${EndedState}`

export type ClientEvent =
  | ('start' | 'retry' | 'stop' | 'disconnect' | 'logout' | 'logout-failed')
  | ('qr' | 'pairing-code' | 'code-ended' | 'paired' | 'open')
  | ('passkey' | 'passkey-confirm' | 'passkey-failed')
  | `closed:${CloseReason}`
  | 'retried:outdated'

/** What the client does on a transition besides changing its state (client.ts); `announce` stores and signals the event. */
export type Effect =
  | 'open-link'
  | 'end-link'
  | 'announce'
  | 'reconnect-now'
  | 'reconnect-soon'
  | 'reconnect-later'
  | 'unlink'

export interface Transition {
  readonly from: readonly ClientState[]
  readonly on: ClientEvent
  readonly to: ClientState
  readonly effect?: Effect
}

/** No link, and none opens before a `start`. */
const IDLE = ['offline', ...ENDED] as const
/** A link is open or opening. */
const LINK = ['connecting', 'scan', 'code', 'passkey', 'passkey-confirm', 'open'] as const

/**
 * The life cycle of a session's link. An event without a row in the current state is ignored.
 *
 * Only failures that time can fix are retried. A replaced link is left alone: two owners of the same keys would
 * disconnect each other for ever.
 */
export const TRANSITIONS: readonly Transition[] = [
  { from: IDLE, on: 'start', to: 'connecting', effect: 'open-link' },
  { from: ['connecting', 'waiting'], on: 'retry', to: 'connecting', effect: 'open-link' },

  { from: ['connecting', 'scan', 'passkey', 'open'], on: 'qr', to: 'scan', effect: 'announce' },
  // While a pairing code is being typed, the QR code can still be scanned.
  { from: ['code'], on: 'qr', to: 'code', effect: 'announce' },
  { from: ['scan'], on: 'pairing-code', to: 'code' },
  { from: ['code'], on: 'code-ended', to: 'scan' },
  { from: LINK, on: 'passkey', to: 'passkey', effect: 'announce' },
  { from: ['passkey'], on: 'passkey-confirm', to: 'passkey-confirm', effect: 'announce' },
  { from: ['passkey', 'passkey-confirm'], on: 'passkey-failed', to: 'scan', effect: 'announce' },
  { from: LINK, on: 'paired', to: 'connecting', effect: 'announce' },
  { from: LINK, on: 'open', to: 'open', effect: 'announce' },

  { from: LINK, on: 'closed:restart', to: 'connecting', effect: 'reconnect-now' },
  { from: LINK, on: 'closed:lost', to: 'waiting', effect: 'reconnect-later' },
  { from: LINK, on: 'closed:unavailable', to: 'waiting', effect: 'reconnect-later' },
  // The network or the driver sets the time before which no further attempt may follow.
  { from: LINK, on: 'closed:temporary-ban', to: 'waiting', effect: 'reconnect-later' },
  { from: LINK, on: 'closed:rate-limited', to: 'waiting', effect: 'reconnect-later' },
  { from: LINK, on: 'closed:storage', to: 'waiting', effect: 'reconnect-soon' },
  { from: LINK, on: 'closed:logged-out', to: 'logged-out', effect: 'unlink' },
  { from: LINK, on: 'closed:banned', to: 'banned', effect: 'unlink' },
  { from: LINK, on: 'closed:replaced', to: 'replaced' },
  { from: LINK, on: 'closed:qr-ended', to: 'failed' },
  // The driver looks for another version before it opens that link.
  { from: LINK, on: 'retried:outdated', to: 'connecting', effect: 'open-link' },
  { from: LINK, on: 'closed:outdated', to: 'failed' },
  { from: LINK, on: 'closed:bad-user-agent', to: 'failed' },
  { from: LINK, on: 'closed:unknown-client', to: 'failed' },
  { from: LINK, on: 'closed:untrusted', to: 'failed' },
  { from: LINK, on: 'closed:stopped', to: 'offline' },

  { from: ['open', 'logging-out'], on: 'logout', to: 'logging-out' },
  { from: ['logging-out'], on: 'logout-failed', to: 'open' },
  { from: ['logging-out'], on: 'closed:logged-out', to: 'logged-out', effect: 'unlink' },

  { from: ['offline', ...LINK, 'waiting'], on: 'stop', to: 'stopped', effect: 'end-link' },
  // The process ends or another one serves the session, which does not change how the link ended.
  ...ENDED.map((state) => ({ from: [state], on: 'stop', to: `stopped ${state}` }) as const),
  { from: [...IDLE, ...LINK, 'waiting'], on: 'disconnect', to: 'stopped', effect: 'end-link' },
  { from: ['stopped'], on: 'closed:stopped', to: 'stopped' },
  { from: ['logging-out'], on: 'stop', to: 'stopping', effect: 'end-link' },
  { from: ['logging-out'], on: 'disconnect', to: 'stopping', effect: 'end-link' },
  { from: ['stopping'], on: 'logout-failed', to: 'stopped' },
  { from: ['stopping'], on: 'closed:logged-out', to: 'stopped logged-out', effect: 'unlink' },
]

/** The row for an event in a state; undefined if the event is ignored. */
export function transition(state: ClientState, event: ClientEvent): Transition | undefined {
  return ROWS.get(`${state} ${event}`)
}

const ROWS = new Map(TRANSITIONS.flatMap((row) => row.from.map((state) => [`${state} ${row.on}`, row])))

/** A link that the client itself ends is closed for the client's reason, whatever the link says. */
const REASONS: Partial<Record<ClientState, CloseReason>> = {
  'logging-out': 'logged-out',
  stopping: 'logged-out',
  stopped: 'stopped',
}

/** Whether the client itself ends its link. */
export function isEnding(state: ClientState): boolean {
  return state in REASONS
}

export function closeReason(state: ClientState, given: CloseReason): CloseReason {
  return REASONS[state] ?? given
}

/** @param isRetried the next link opens at once. */
export function closedEvent(reason: CloseReason, isRetried = false): ClientEvent {
  return reason === 'outdated' && isRetried ? 'retried:outdated' : `closed:${reason}`
}

const SHOWN: Partial<Record<ClientState, SessionState>> = {
  'logging-out': 'open',
  stopping: 'open',
  stopped: 'offline',
  ...Object.fromEntries(ENDED.map((state) => [`stopped ${state}`, state])),
}

export function isEnded(state: SessionState): state is EndedState {
  return ENDED.some((one) => one === state)
}

/** The state as plugins and clients of the interface see it. */
export function shownState(state: ClientState): SessionState {
  return SHOWN[state] ?? (state as SessionState)
}
