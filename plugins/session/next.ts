import type { CloseReason, SessionState } from 'wamux/plugin'

type Place = SessionState | `${SessionState} ${CloseReason}` | 'offline linked' | 'open slow'

/** The next step by state, and by the cause of the state if that makes a difference. */
export const NEXT: Readonly<Partial<Record<Place, string>> & Record<SessionState, string>> = {
  offline:
    'Call POST /session/connect, then scan the QR code of GET /session/qr, or request a pairing code with POST /session/pair.',
  'offline linked': 'Call POST /session/connect; the session is still linked.',
  connecting: 'Wait: the link is being opened.',
  'connecting outdated':
    'Wait: WhatsApp refused the version with which the link was opened. The current one is looked up, and the session reconnects within a minute or two.',
  scan: 'Scan the QR code of GET /session/qr with the phone, or request a pairing code with POST /session/pair.',
  code: 'Type the pairing code on the phone, under linked devices.',
  passkey:
    'Let the owner of the account sign the challenge of GET /session/passkey in a browser, and submit it with POST /session/passkey; or open a page of POST /session/link-page.',
  'passkey-confirm':
    'Compare the code of GET /session/passkey with the phone, then call POST /session/passkey/confirm.',
  open: '',
  'open slow':
    'Check the database and the disk: they store more slowly than WhatsApp delivers. Waiting messages are not lost.',
  waiting:
    'Wait: the next attempt follows automatically. If this persists, check that the gateway can reach the internet.',
  'waiting storage':
    'Check the database and the disk (GET /server/ready); the session reconnects automatically once they work.',
  'waiting temporary-ban':
    'Wait: WhatsApp has banned the account for a while, after which the session reconnects. Until then, write only to people who expect it; the phone shows details.',
  'waiting rate-limited':
    'Wait: WhatsApp asks for fewer logins. The session reconnects after a pause, which restarts and further connects do not shorten.',
  'logged-out': 'Call POST /session/connect, then link the phone again.',
  replaced:
    'Stop the other process that uses the keys of this session (for example on a copy of the database), then call POST /session/connect.',
  banned: 'Open WhatsApp on the phone: it shows why the account is restricted and how to request a review.',
  failed: 'Read the reason, then call POST /session/connect.',
  'failed qr-ended': 'Call GET /session/qr for a new QR code, and scan it while it is shown.',
  'failed outdated':
    'Run `wamux doctor`: it shows the version of WhatsApp Web in use and why no newer one was found. Correct that, or set WAMUX_BAILEYS_WEB_VERSION to a version that WhatsApp accepts. The session retries with each newer version, and every hour.',
  'failed bad-user-agent':
    'Install a newer version of wamux: WhatsApp rejects the user agent of this one, whatever version of WhatsApp Web it names.',
  'failed unknown-client':
    'Look on the phone, under linked devices: if the session is still there, call POST /session/connect; if not, or if it is refused again, delete it and link a new one.',
  'failed untrusted':
    'Correct the clock of the machine if it is wrong, and remove any proxy or other software that intercepts the TLS connection to WhatsApp; then call POST /session/connect.',
}

export function nextStep(state: SessionState, cause: string, isLinked: boolean): string {
  const place = state === 'offline' ? (isLinked ? 'offline linked' : state) : `${state} ${cause}`
  return NEXT[place as Place] ?? NEXT[state]
}
