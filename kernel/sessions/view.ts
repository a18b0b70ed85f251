import { gatewayError } from '../errors.ts'
import type { Session } from '../types/session.ts'
import type { Client } from './client.ts'
import type { SessionRow } from './session-row.ts'

/** A link on which nothing was received for longer counts as down: the network is pinged every 20 to 30 s. */
const SILENCE_MS = 60_000

/** A session as handlers see it: the stored row and the client's current state. */
export function view(row: SessionRow, client: Client | undefined): Session {
  const socket = client?.socket
  const slow = socket?.slow
  // A link whose reading is paused receives nothing.
  const isAlive =
    socket !== undefined && (slow !== undefined || Date.now() - socket.lastStanzaAt < SILENCE_MS)
  const { autoConnect: _autoConnect, oldToken: _oldToken, ended, ...stored } = row
  const { reason = '', cause, isOnRequest = false } = client?.details ?? ended ?? {}
  return {
    ...stored,
    jid: withoutDevice(row.jid),
    lid: withoutDevice(row.lid),
    state: client?.state ?? ended?.state ?? 'offline',
    reason: reason || (slow ?? ''),
    cause,
    isOnRequest,
    code: client?.details.code ?? '',
    until: client?.details.until ?? 0,
    failure: client?.details.failure,
    connected: isAlive,
    loggedIn: isAlive && client?.state === 'open',
    isSlow: slow !== undefined,
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

/** The error for a request that the network did not fulfil in time, or that ended with the client. */
export function failed(what: string, { details }: Client): Error {
  return gatewayError('NETWORK_FAILED', [what, details.reason || 'no answer in time'])
}

/** `5511:3@host` → `5511@host` */
function withoutDevice(address: string): string {
  return address.replace(/:\d+@/, '@')
}
