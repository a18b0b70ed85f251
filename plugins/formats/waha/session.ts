import { unixSeconds } from 'wamux/messaging'
import type { About, Named, Readers } from '../dialect.ts'

type SessionReaders = Pick<
  Readers,
  | 'QR'
  | 'QRTimeout'
  | 'PasskeyRequired'
  | 'PasskeyConfirmation'
  | 'PasskeyFailed'
  | 'Connected'
  | 'Disconnected'
  | 'ConnectFailure'
  | 'LoggedOut'
>

/** The session's state after an event, as there. */
export const sessionReaders: SessionReaders = {
  QR: (_, about) => status('SCAN_QR_CODE', about),
  QRTimeout: (_, about) => status('FAILED', about),
  PasskeyRequired: (_, about) => status('PASSKEY_REQUIRED', about),
  PasskeyConfirmation: ({ event }, about) =>
    status('PASSKEY_CONFIRMATION_REQUIRED', about, { code: event.Code }),
  PasskeyFailed: (_, about) => status('FAILED', about),
  Connected: (_, about) => status('WORKING', about),
  Disconnected: ({ event }, about) => status(event.RetryIn === undefined ? 'STOPPED' : 'STARTING', about),
  ConnectFailure: (_, about) => status('FAILED', about),
  LoggedOut: (_, about) => status('FAILED', about),
}

function status(name: string, { session, line }: About, data: object | null = null): Named[] {
  const timestamp = unixSeconds(line.time) * 1000
  // The earlier states are events of their own.
  const statuses = [{ status: name, timestamp }]
  return [{ event: 'session.status', data: { name: session.name, status: name, statuses, data } }]
}
