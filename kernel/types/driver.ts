import type { Logger } from 'pino'
import type { GatewayError } from '../errors.ts'

export type Log = Logger

/** Why a link ended. Decides whether and when the kernel reopens it (kernel/sessions/transitions.ts). */
export type CloseReason =
  | 'restart'
  | 'logged-out'
  | 'replaced'
  | 'qr-ended'
  | 'banned'
  | 'temporary-ban'
  | 'rate-limited'
  | 'outdated'
  | 'bad-user-agent'
  | 'unknown-client'
  | 'lost'
  | 'unavailable'
  | 'storage'
  | 'untrusted'
  | 'stopped'

/** What a driver reports to the kernel about one link. */
export type LinkEvent =
  | { type: 'qr'; code: string; expires: number }
  | { type: 'paired'; jid: string; lid: string; platform: string; businessName: string }
  /** A step for the account's owner; `detail` describes it, and for `passkey-confirm` is the code to compare. */
  | { type: 'passkey' | 'passkey-confirm' | 'passkey-failed'; detail: string }
  /** The pairing code can no longer be entered, but the link is still open. */
  | { type: 'code-ended'; detail: string }
  | { type: 'open'; jid: string; lid: string; name: string }
  /**
   * `failure` is the storage error that ended the link. After `outdated` the next link is opened at once if the driver has,
   * or looks for, another version (`isRetried`): `open` waits for that. No link opens before `until` (milliseconds since
   * 1970); `code` is the network's.
   */
  | {
      type: 'closed'
      reason: CloseReason
      detail: string
      failure?: GatewayError
      isRetried?: boolean
      code?: string
      until?: number
    }

export interface LinkOptions {
  readonly session: { readonly id: string; readonly os: string }
  readonly log: Log
  /**
   * Whether this process may still act for the session. Check right before each frame: another process may have received the
   * session while this one was stopped or busy.
   */
  readonly isHeld: () => boolean
  /** Aborted when the link is no longer wanted; a rejection of `open` is then ignored. */
  readonly signal: AbortSignal
  /** Called for each change, in order; never after `closed`. Resolves when the change is stored; never rejects. */
  readonly onEvent: (event: LinkEvent) => Promise<void>
}

/** The port through which the kernel uses the network. */
export interface Driver {
  /** Name of the network that new links join; a session linked on one can't be used on another. */
  readonly network: string
  /** Starts one attempt. A closed socket is never reused; the kernel opens a new one. */
  open(link: LinkOptions): Promise<Socket>
  /**
   * Deletes everything that the driver has stored of a link: the next one starts unlinked. After `unlinked` the session
   * continues, and the driver may remember that it was linked.
   */
  forget(sessionId: string, why: 'unlinked' | 'removed'): Promise<void>
  /**
   * A socket for a session that another process serves: it stores messages for that process to send, and throws `notOwned`
   * for anything that needs the link.
   */
  remote?(session: { readonly id: string; readonly jid: string }, notOwned: () => GatewayError): Socket
  /** Sessions with work waiting for their link, for example messages to send: they are connected first. */
  unfinished?(): Promise<readonly string[]>
}

/** One live link. The driver's plugin adds its calls by declaration merging. */
export interface Socket {
  /** `Date.now()` of the last received stanza; its age, not a flag, tells whether the link is alive. */
  readonly lastStanzaAt: number
  /** A text that received stanzas wait long to be stored; undefined if they do not. */
  readonly slow?: string | undefined
  /** Asks the network for a pairing code for `phone` (digits); rejects when the network refuses. */
  requestPairingCode(phone: string): Promise<string>
  /** Unlinks this companion on the network and waits for the answer. */
  logout(): Promise<void>
  /** Waits for running sends, then closes the connection; the session stays linked. Leaves no timer running. */
  end(): Promise<void>
}
