import type { GatewayServices } from 'wamux/plugin'
import { type About, type Named, type Readers, toFormat, type WebhookFormat } from '../dialect.ts'
import { chatReaders, groupReaders } from './chats.ts'
import { failedOf, messagesOf, receiptsOf } from './messages.ts'
import { sessionReaders } from './session.ts'

/** Names of its events. */
export const EVENTS = [
  ...['messages.upsert', 'send.message', 'messages.update', 'messages.edited', 'send.message.update'],
  ...['messages.delete', 'connection.update', 'status.instance', 'logout.instance', 'qrcode.updated'],
  ...['presence.update', 'call', 'chats.update', 'chats.delete', 'contacts.update'],
  ...['groups.upsert', 'groups.update', 'group-participants.update', 'labels.edit', 'labels.association'],
]

type Deps = Pick<GatewayServices, 'attachments' | 'publicAddress'>

/** Webhooks of Evolution API v2. They are not signed there. */
export function evolutionFormat({ attachments, publicAddress }: Deps): WebhookFormat {
  const readers: Readers = {
    Message: (body, about) => messagesOf(body, about, attachments),
    ReadReceipt: receiptsOf,
    SendFailed: failedOf,
    ...sessionReaders,
    ...chatReaders,
    ...groupReaders,
  }
  return toFormat({
    name: 'evolution',
    title: 'Evolution API v2',
    events: EVENTS,
    readers,
    bodyOf({ event, data }: Named, { session, jid, line, url, token }: About) {
      return JSON.stringify({
        event,
        instance: session.name,
        data,
        destination: url,
        date_time: line.time,
        sender: jid,
        server_url: publicAddress.url,
        apikey: token ?? null,
      })
    },
  })
}
