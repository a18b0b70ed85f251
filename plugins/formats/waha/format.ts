import { createHmac } from 'node:crypto'
import { unixSeconds } from 'wamux/messaging'
import type { GatewayServices, Settings } from 'wamux/plugin'
import { type About, type Named, type Readers, toFormat, type WebhookFormat } from '../dialect.ts'
import { chatReaders, groupReaders } from './chats.ts'
import { ownId } from './ids.ts'
import { acksOf, failedOf, messagesOf, waitingOf } from './messages.ts'

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
const sessionReaders: SessionReaders = {
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

/** The engine whose raw data, `_data`, has the form of the events here. */
const ENGINE = 'GOWS'

const EVENTS = [
  ...['session.status', 'message', 'message.any', 'message.reaction', 'message.ack', 'message.ack.group'],
  ...['message.waiting', 'message.edited', 'message.revoked', 'poll.vote', 'presence.update'],
  ...['group.v2.join', 'group.v2.participants', 'group.v2.update', 'chat.archive'],
  ...['label.upsert', 'label.deleted', 'label.chat.added', 'label.chat.deleted'],
  ...['call.received', 'call.accepted', 'call.rejected'],
]

interface Deps {
  attachments: Pick<GatewayServices['attachments'], 'link'>
  settings: Pick<Settings, 'version'>
}

/** Webhooks of WAHA. */
export function wahaFormat({ attachments, settings }: Deps): WebhookFormat {
  const readers: Readers = {
    Message: (body, about) => messagesOf(body, about, attachments),
    UndecryptableMessage: waitingOf,
    ReadReceipt: acksOf,
    SendFailed: failedOf,
    ...sessionReaders,
    ...chatReaders,
    ...groupReaders,
  }
  const environment = { version: settings.version, engine: ENGINE, tier: 'CORE', browser: null }

  return toFormat({
    name: 'waha',
    title: 'WAHA',
    events: EVENTS,
    readers,
    bodyOf({ event, data }: Named, about: About, at: number) {
      const { session, line } = about
      return JSON.stringify({
        id: at === 0 ? line.id : `${line.id}.${at}`,
        timestamp: line.logged ?? Date.parse(line.time),
        event,
        session: session.name,
        metadata: session.labels,
        ...meOf(about),
        payload: data,
        environment,
        engine: ENGINE,
      })
    },
    // In milliseconds there.
    headers: ({ now }) => ({ 'x-webhook-timestamp': String(now) }),
    sign: (body, secret) => ({
      'x-webhook-hmac': createHmac('sha512', secret).update(body).digest('hex'),
      'x-webhook-hmac-algorithm': 'sha512',
    }),
  })
}

/** The account, once it is linked. Its own name is known only when it connects. */
function meOf({ session, jid, line }: About): { me?: object } {
  if (!jid) return {}
  const pushName = line.type === 'Connected' ? (line.body['event'] as { PushName: string }).PushName : ''
  return { me: { id: ownId(session, jid), lid: session.lid, pushName } }
}
