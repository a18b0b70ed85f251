import type { GatewayError } from '../errors.ts'
import type { Socket } from './driver.ts'

export type SessionState =
  | 'offline'
  | 'connecting'
  | 'scan'
  | 'code'
  | 'passkey'
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
  readonly webhook: string
  /** Subscribed event classes; `['All']` stands for every class, an empty list for none. */
  readonly subscribe: readonly string[]
  /** Own phone JID without device, '' until linked. */
  readonly jid: string
  /** Own LID without device, '' until known. */
  readonly lid: string
  /** The network it is linked on, '' until linked. */
  readonly network: string
  readonly createdAt: string
  readonly state: SessionState
  /** Why it is in this state, in words; '' when there is nothing to say. */
  readonly reason: string
  /** Of the storage, where that is what keeps the link down: what a request that needs the link is refused with. */
  readonly failure: GatewayError | undefined
  /** In memory and heard from lately. */
  readonly connected: boolean
  readonly loggedIn: boolean
  readonly socket: Socket | undefined
}

/** A session whose link is up and authenticated. */
export interface LiveSession extends Session {
  readonly socket: Socket
}

export interface SessionChange {
  name?: string
  webhook?: string
  subscribe?: readonly string[]
}

export interface NewSession {
  name?: string
  token?: string
  os?: string
  webhook?: string
  subscribe?: readonly string[]
}

/** The kernel's session registry, as plugins use it. Methods throw from the error table. */
export interface Sessions {
  create(row: NewSession): Promise<Session>
  list(): Promise<Session[]>
  byToken(token: string): Promise<Session | undefined>
  byId(id: string): Promise<Session | undefined>
  update(id: string, change: SessionChange): Promise<Session>
  /** Starts the client if none runs. `wait` holds the answer until open, first QR, or a failure. */
  connect(id: string, options: { wait: boolean }): Promise<Session>
  /** Starts the client if needed and answers the pairing code that the network accepted. */
  pair(id: string, phone: string): Promise<string>
  /** The QR text on show; waits up to 10 s for the first. Opens the client's link again where that has ended. */
  qr(id: string): Promise<string>
  disconnect(id: string): Promise<void>
  logout(id: string): Promise<void>
  /** Unlinks where it can, then removes every row of the session. */
  remove(id: string): Promise<Session>
}
