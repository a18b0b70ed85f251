import type { Session, Socket } from 'wamux/plugin'
import type { Codes, PairingCode } from './codes.ts'
import type { LinkingWatch } from './linking-watch.ts'
import type { Link } from './links.ts'

export type FailReason = 'timeout' | 'refused' | 'logged-out' | 'banned' | 'stopped' | 'other'

type Passkey = ReturnType<Socket['passkey']['status']>

/** What the page shows. Times are milliseconds since 1970. */
export type View =
  | { readonly state: 'preparing' | 'waiting' | 'finishing' | 'expired' | 'revoked' }
  | { readonly state: 'scan'; readonly qr: string; readonly until: number; readonly code?: PairingCode }
  | { readonly state: 'passkey'; readonly passkey: Passkey }
  | { readonly state: 'linked'; readonly number: string }
  | { readonly state: 'failed'; readonly reason: FailReason }

export interface ViewParts {
  watch: Pick<LinkingWatch, 'qr' | 'ended'>
  codes: Pick<Codes, 'of'>
}

/** The final states. */
export function isFinal({ state }: View): boolean {
  return state === 'linked' || state === 'expired' || state === 'revoked'
}

/** The current view of a link's page. */
export function viewOf(link: Link, session: Session, parts: ViewParts, now: number): View {
  if (link.state === 'revoked') return { state: 'revoked' }
  if (link.state === 'linked' || session.state === 'open')
    return { state: 'linked', number: lastDigits(session.jid) }
  if (link.expiresAt <= now) return { state: 'expired' }
  const { state } = session
  const passkey = passkeyOf(session)
  if (passkey) return { state: 'passkey', passkey }
  if (state === 'scan' || state === 'code') return scan(link, session, parts, now)
  if (session.jid && (state === 'connecting' || state === 'waiting')) return { state: 'finishing' }
  // While a passkey is being requested, the link may have just ended.
  if (state === 'connecting' || state.startsWith('passkey')) return { state: 'preparing' }
  if (state === 'waiting') return { state: 'waiting' }
  return { state: 'failed', reason: reasonOf(session, parts) }
}

function scan(link: Link, { id }: Session, { watch, codes }: ViewParts, now: number): View {
  const qr = watch.qr(id)
  if (!qr || qr.until <= now) return { state: 'preparing' }
  const code = codes.of(link)
  return { state: 'scan', qr: qr.code, until: qr.until, ...(code ? { code } : {}) }
}

/**
 * The current or failed ceremony: after a failure the session already has a new QR code, but the page must first say why.
 */
function passkeyOf({ state, socket }: Session): Passkey | undefined {
  const passkey = socket?.passkey.status()
  const isShown = state.startsWith('passkey') || (state === 'scan' && passkey?.state === 'failed')
  return isShown && passkey?.state !== 'none' ? passkey : undefined
}

function reasonOf({ id, state }: Session, { watch }: ViewParts): FailReason {
  if (state === 'banned' || state === 'logged-out') return state
  if (state === 'offline') return 'stopped'
  return (state === 'failed' && watch.ended(id)) || 'other'
}

/** The last four digits of the account's number; '' while unknown. */
function lastDigits(jid: string): string {
  return /(\d{1,4})@/.exec(jid)?.[1] ?? ''
}
