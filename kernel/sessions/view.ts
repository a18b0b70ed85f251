import type { Session } from '../types/session.ts'
import type { Client } from './client.ts'
import type { SessionRow } from './session-row.ts'

/** A link counts as down when nothing was received for longer: the network is pinged every 20 to 30 s. */
const SILENCE_MS = 60_000

/** A session as handlers see it: the stored row and the client's current state. */
export function view(row: SessionRow, client: Client | undefined): Session {
  const socket = client?.socket
  const isAlive = socket !== undefined && Date.now() - socket.lastStanzaAt < SILENCE_MS
  const { autoConnect: _autoConnect, oldToken: _oldToken, ...stored } = row
  const { reason = '', cause, failure } = client?.details ?? {}
  return {
    ...stored,
    jid: withoutDevice(row.jid),
    lid: withoutDevice(row.lid),
    state: client?.state ?? 'offline',
    reason,
    cause,
    failure,
    connected: isAlive,
    loggedIn: isAlive && client?.state === 'open',
    lastStanzaAt: client?.lastStanzaAt ?? 0,
    socket,
  }
}

export function asksPasskey({ state }: Client): boolean {
  return state === 'passkey' || state === 'passkey-confirm'
}

/** Whether the network has answered a connect: the link is open, a QR is shown, or it failed. */
export function hasAnswer({ state, details }: Client): boolean {
  return state !== 'connecting' && (state !== 'scan' || !!details.qr)
}

/** `5511:3@host` → `5511@host` */
function withoutDevice(address: string): string {
  return address.replace(/:\d+@/, '@')
}
