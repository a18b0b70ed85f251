import type { CloseReason, SessionState } from 'wamux/plugin'

type Place = SessionState | `${SessionState} ${CloseReason}` | 'offline linked' | 'open slow'

/** What to do next, by state, and by the cause of the state where that makes a difference. */
export const NEXT: Readonly<Partial<Record<Place, string>> & Record<SessionState, string>> = {
  offline:
    'Call POST /session/connect, then scan the QR code of GET /session/qr, or request a pairing code with POST /session/pair.',
  'offline linked': 'Call POST /session/connect; the session is still linked.',
  connecting: 'Wait: the link is being opened.',
  'connecting outdated':
    'Wait: WhatsApp refused the version that the link was opened with. The current one is looked up, and the session connects again within a minute or two.',
  scan: 'Scan the QR code of GET /session/qr with the phone, or request a pairing code with POST /session/pair.',
  code: 'Type the pairing code on the phone, under linked devices.',
  passkey:
    'Let the owner of the account sign the challenge of GET /session/passkey in a browser, and pass it on with POST /session/passkey; or open a page of POST /session/link-page.',
  'passkey-confirm':
    'Compare the code of GET /session/passkey with the phone, then call POST /session/passkey/confirm.',
  open: '',
  'open slow':
    'Look at the database and the disk: they store more slowly than WhatsApp delivers. What waits there is not lost.',
  waiting:
    'Wait: the next attempt follows on its own. If it lasts, check that the gateway can reach the internet.',
  'waiting storage':
    'Check the database and the disk (GET /server/ready); the session reconnects automatically once they work.',
  'waiting temporary-ban':
    'Wait: WhatsApp has banned the account for a while, and the session connects again after that. Until then, write to nobody who does not expect it; the phone says more.',
  'waiting rate-limited':
    'Wait: WhatsApp asks for fewer logins. The session connects again after a pause; restarts and further connects do not shorten it.',
  'logged-out': 'Call POST /session/connect, then link the phone again.',
  replaced:
    'Stop the other process that uses the keys of this session, such as one on a copy of the database; then call POST /session/connect.',
  banned: 'Open WhatsApp on the phone: it says why the account is restricted, and how to ask for a review.',
  failed: 'Read the reason, then call POST /session/connect.',
  'failed qr-ended': 'Call GET /session/qr for a new QR code, and scan it while it is shown.',
  'failed outdated':
    'Run `wamux doctor`: it shows which version of WhatsApp Web is used, and why no newer one was found. Correct that, or set WAMUX_BAILEYS_WEB_VERSION to a version that WhatsApp accepts. The session is tried again with each newer version, and every hour.',
  'failed bad-user-agent':
    'Install a newer version of wamux: WhatsApp rejects the user agent of this one, whatever version of WhatsApp Web it names.',
  'failed untrusted':
    'Remove what intercepts the TLS connection to WhatsApp, such as a proxy; then call POST /session/connect.',
}

export function nextStep(state: SessionState, cause: string, isLinked: boolean): string {
  const place = state === 'offline' ? (isLinked ? 'offline linked' : state) : `${state} ${cause}`
  return NEXT[place as Place] ?? NEXT[state]
}
