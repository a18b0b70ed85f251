import { gatewayError } from '../errors.ts'
import type { Socket } from '../types/driver.ts'
import type { LiveSession, Session, SessionState } from '../types/session.ts'
import type { Client } from './client.ts'
import type { SessionRow } from './session-row.ts'
import { isEnded } from './transitions.ts'

/** A link on which nothing was received for longer counts as down: the network is pinged every 20 to 30 s. */
const SILENCE_MS = 60_000

/** One view of each row serves all requests until the row changes. */
export function viewsOf(clientOf: (id: string) => Client | undefined): (row: SessionRow) => Session {
  const views = new WeakMap<SessionRow, Session>()
  return (row) => {
    const view = views.get(row) ?? new SessionView(row, () => clientOf(row.id))
    views.set(row, view)
    return view
  }
}

/** A session as handlers see it: the row as it was stored when they asked, and its link as it is whenever they look. */
export class SessionView implements Session {
  readonly #row: SessionRow
  readonly #client: () => Client | undefined
  readonly #given: Socket | undefined
  readonly jid: string
  readonly lid: string

  /** @param given used in place of the link's socket, for example if another process serves the session. */
  constructor(row: SessionRow, client: () => Client | undefined, given?: Socket) {
    this.#row = row
    this.#client = client
    this.#given = given
    this.jid = withoutDevice(row.jid)
    this.lid = withoutDevice(row.lid)
  }

  get id() {
    return this.#row.id
  }
  get token() {
    return this.#row.token
  }
  get name() {
    return this.#row.name
  }
  get os() {
    return this.#row.os
  }
  get labels() {
    return this.#row.labels
  }
  get webhook() {
    return this.#row.webhook
  }
  get subscribe() {
    return this.#row.subscribe
  }
  get network() {
    return this.#row.network
  }
  get createdAt() {
    return this.#row.createdAt
  }

  get state() {
    return this.#client()?.state ?? this.#row.ended?.state ?? 'offline'
  }
  get reason() {
    return this.#end.reason || (this.#client()?.socket?.slow ?? '')
  }
  get cause() {
    return this.#end.cause
  }
  get isOnRequest() {
    return this.#end.isOnRequest
  }
  get code() {
    return this.#client()?.details.code ?? ''
  }
  get until() {
    return this.#client()?.details.until ?? 0
  }
  get failure() {
    return this.#client()?.details.failure
  }
  get connected() {
    return isActive(this.#client()?.state)
  }
  get loggedIn() {
    const socket = this.#client()?.socket
    if (!socket || this.state !== 'open') return false
    // A link whose reading is paused receives nothing.
    return socket.slow !== undefined || Date.now() - socket.lastStanzaAt < SILENCE_MS
  }
  get isSlow() {
    return this.#client()?.socket?.slow !== undefined
  }
  get lastStanzaAt() {
    return this.#client()?.lastStanzaAt ?? 0
  }
  get socket() {
    return this.#given ?? this.#client()?.socket
  }

  /** Keeps its socket: what is asked once the link has ended fails with an error of the network. */
  live(socket: Socket): LiveSession {
    return new SessionView(this.#row, this.#client, socket) as Session as LiveSession
  }

  /** How the last link ended: as the client knows, or as it was stored before the process started. */
  get #end(): Pick<Session, 'reason' | 'cause' | 'isOnRequest'> {
    return this.#client()?.details ?? this.#row.ended ?? NONE
  }
}

/** A session whose link is up, with the socket that it has now; undefined if it has none. */
export function liveOf(session: Session): LiveSession | undefined {
  const { state, socket } = session
  if (state !== 'open' || !socket) return undefined
  return session instanceof SessionView ? session.live(socket) : (session as LiveSession)
}

const NONE = { reason: '', cause: undefined, isOnRequest: false }

/** Whether a client in that state has a link, or will open one by itself. */
function isActive(state: SessionState | undefined): boolean {
  return state !== undefined && state !== 'offline' && !isEnded(state)
}

export function asksPasskey({ state }: Client): boolean {
  return state === 'passkey' || state === 'passkey-confirm'
}

/** Whether the network has answered a connect: the link is open, a QR is shown, or it failed. */
export function hasAnswer({ state, details }: Client): boolean {
  return state !== 'connecting' && (state !== 'scan' || !!details.qr)
}

/** The error for a request that the network did not fulfil in time, or that ended with the client. */
export function failed(what: string, { details }: Client): Error {
  return gatewayError('NETWORK_FAILED', [what, details.reason || 'no answer in time'])
}

/** `5511:3@host` → `5511@host` */
function withoutDevice(address: string): string {
  return address.replace(/:\d+@/, '@')
}
