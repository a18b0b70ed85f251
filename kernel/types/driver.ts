import type { Logger } from 'pino'
import type { GatewayError } from '../errors.ts'

export type Log = Logger

/** Why a link ended. Decides whether and when the kernel tries again (kernel/sessions/backoff.ts). */
export type CloseReason =
  | 'restart'
  | 'logged-out'
  | 'replaced'
  | 'qr-ended'
  | 'banned'
  | 'outdated'
  | 'lost'
  | 'unavailable'
  | 'storage'
  | 'untrusted'
  | 'stopped'

/** What a driver tells the kernel about one link. */
export type LinkEvent =
  | { type: 'qr'; code: string; expires: number }
  | { type: 'paired'; jid: string; lid: string; platform: string; businessName: string }
  | { type: 'passkey'; detail: string }
  | { type: 'open'; jid: string; lid: string; name: string }
  /** `failure` is the storage's, of a link that could not go on without it. */
  | { type: 'closed'; reason: CloseReason; detail: string; failure?: GatewayError }

export interface LinkOptions {
  readonly session: { readonly id: string; readonly os: string }
  readonly log: Log
  /** Called for each change, in order; never after `closed`. Must not throw. */
  readonly onEvent: (event: LinkEvent) => void
}

/** The port through which the kernel reaches the network. */
export interface Driver {
  /** Name of the network that new links join; a session linked on one can't be used on another. */
  readonly network: string
  /** Starts one attempt. A closed socket is never reused; the kernel opens a new one. */
  open(link: LinkOptions): Promise<Socket>
  /** Removes everything that the driver keeps of a link, so that the next one starts unlinked. */
  forget(sessionId: string): Promise<void>
}

/** One live link. The driver's plugin adds its calls by declaration merging. */
export interface Socket {
  /** `Date.now()` of the last stanza that came in; liveness is its age, not a flag. */
  readonly lastStanzaAt: number
  /** Asks the network for a pairing code for `phone` (digits); rejects when the network refuses. */
  requestPairingCode(phone: string): Promise<string>
  /** Unlinks this companion on the network and waits for the answer. */
  logout(): Promise<void>
  /** Lets running sends finish or fail, then closes; the link stays. Leaves no timer behind. */
  end(): Promise<void>
}
