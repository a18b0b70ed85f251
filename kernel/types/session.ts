import type { GatewayError } from '../errors.ts'
import type { CloseReason, Socket } from './driver.ts'

export type SessionState =
  | 'offline'
  | 'connecting'
  | 'scan'
  | 'code'
  | 'passkey'
  | 'passkey-confirm'
  | 'open'
  | 'waiting'
  | 'logged-out'
  | 'replaced'
  | 'banned'
  | 'failed'

/** A stored session, as handlers see it. */
export interface Session {
  readonly id: string
  readonly token: string
  readonly name: string
  readonly os: string
  /** Names and values that its owner gave it. */
  readonly labels: Readonly<Record<string, string>>
  readonly webhook: string
  /** Subscribed event classes; `['All']` stands for every class, `['None']` for none. */
  readonly subscribe: readonly string[]
  /** Own phone JID without device, '' until linked. */
  readonly jid: string
  /** Own LID without device, '' until known. */
  readonly lid: string
  /** The network it is linked on, '' until linked. */
  readonly network: string
  readonly createdAt: string
  readonly state: SessionState
  /** Why it is in this state; '' without a reason. */
  readonly reason: string
  /** How the last link ended, if that is why it is in this state. */
  readonly cause: CloseReason | undefined
  /** The network's code for how the last link ended; '' without one. */
  readonly code: string
  /** No link is opened before this time (milliseconds since 1970); 0 without one. */
  readonly until: number
  /** Whether a requested logout caused this state. */
  readonly isOnRequest: boolean
  /** The storage error that keeps the link down: requests that need the link are refused with it. */
  readonly failure: GatewayError | undefined
  /** Whether a client is active in memory: it has a link, or opens one by itself. */
  readonly connected: boolean
  /** Whether the device is linked, its link is open, and something was received lately. */
  readonly loggedIn: boolean
  /** Whether received stanzas wait long to be stored; `reason` says so. */
  readonly isSlow: boolean
  /** `Date.now()` of the last stanza of this or the last link; 0 before the first one since the start. */
  readonly lastStanzaAt: number
  readonly socket: Socket | undefined
}

/** A removed session. */
export interface RemovedSession extends Pick<Session, 'id' | 'name' | 'jid'> {
  /** Why its device is still linked on the phone; '' if it was unlinked, undefined if none was linked. */
  readonly unlinkFault: string | undefined
}

/** A session whose link is up and authenticated. */
export interface LiveSession extends Session {
  readonly socket: Socket
}

export interface SessionChange {
  name?: string
  labels?: Readonly<Record<string, string>>
  webhook?: string
  subscribe?: readonly string[]
}

export interface NewSession extends SessionChange {
  token?: string
  os?: string
}

export interface StateChange {
  readonly session: string
  /** `Date.now()` */
  readonly at: number
  readonly from: SessionState
  readonly to: SessionState
  /** The link whose end changed the state; undefined for any other change. */
  readonly cause: CloseReason | undefined
  /** In words; '' without a reason. */
  readonly reason: string
}

/** The kernel's session registry, as plugins use it. Methods reject with errors of the table. */
export interface Sessions {
  create(row: NewSession): Promise<Session>
  /** All sessions, as the database has those that other processes serve. */
  list(): Promise<Session[]>
  /** Those that this process serves, from memory. */
  served(): Session[]
  byToken(token: string): Promise<Session | undefined>
  byId(id: string): Promise<Session | undefined>
  /** The same, as the database has it if another process serves it: that one may have changed or removed it. */
  current(id: string): Promise<Session | undefined>
  /**
   * The session with that id, or else with that name, among those for which `isMeant` holds. Rejects SESSION_AMBIGUOUS if
   * several have the name.
   */
  named(idOrName: string, isMeant?: (session: Session) => boolean): Promise<Session | undefined>
  update(id: string, change: SessionChange): Promise<Session>
  /**
   * Replaces the token by a random one. The old one stays valid for `graceMs`; an even older one becomes invalid. The link
   * is not touched.
   */
  rotateToken(id: string, graceMs: number): Promise<Session>
  /** Starts the client if none runs. With `wait` it resolves when the link is open, a QR is shown, or it failed. */
  connect(id: string, options: { wait: boolean }): Promise<Session>
  /** Starts the client if needed; resolves with a pairing code that the network has accepted. */
  pair(id: string, phone: string): Promise<string>
  /** The current QR text; waits up to 10 s for the first. Opens the link again if it has ended. */
  qr(id: string): Promise<string>
  disconnect(id: string): Promise<void>
  logout(id: string): Promise<void>
  /** Unlinks its device if possible, connecting for it if necessary, then removes every row of the session. */
  remove(id: string): Promise<RemovedSession>
  /** Calls `listener` synchronously at each state change; it must not throw. Returns the function that stops it. */
  watch(listener: (change: StateChange) => void): () => void
}
