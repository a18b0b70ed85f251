import { createHmac } from 'node:crypto'
import type { GatewayEvents, GatewayServices } from 'wamux/plugin'
import { type About, type Named, type Readers, toFormat, type WebhookFormat } from '../dialect.ts'
import { messageEvent, sourcedEvent } from './event.ts'

type Deps = Pick<GatewayServices, 'attachments'>
type Body = { readonly event: Readonly<Record<string, unknown>>; readonly state?: string }

/** Types whose `event` is the same there. */
const SAME = [
  ...([
    'Connected',
    'Disconnected',
    'ConnectFailure',
    'LoggedOut',
    'PairSuccess',
    'PrivacySettings',
  ] as const),
  ...(['GroupInfo', 'JoinedGroup', 'Picture', 'Presence', 'HistorySync'] as const),
  ...(['LabelEdit', 'LabelAssociationChat', 'LabelAssociationMessage', 'UndecryptableMessage'] as const),
  ...(['CallOffer', 'CallAccept', 'CallTerminate', 'CallOfferNotice', 'CallRelayLatency'] as const),
  ...(['NewsletterJoin', 'NewsletterLeave', 'NewsletterMuteChange', 'NewsletterLiveUpdate'] as const),
] satisfies (keyof GatewayEvents)[]

/** Webhooks of WuzAPI: JSON, and a form as it sends by default. */
export function wuzapiFormats({ attachments }: Deps): WebhookFormat[] {
  const readers: Readers = {
    ...Object.fromEntries(
      SAME.map((type) => [
        type,
        ({ event, state }: Body) => [named(type, { event, ...(state ? { state } : {}) })],
      ]),
    ),
    async Message(body, { line }) {
      if (body.message.refused) return []
      const { base64, mediaUrl, mimeType, fileName } = await attachments.attach(line)
      const file = base64 || mediaUrl ? { ...(base64 ? { base64 } : { mediaUrl }), mimeType, fileName } : {}
      const { isSticker, stickerAnimated } = line.body
      return [named('Message', { event: messageEvent(body.event), ...file, isSticker, stickerAnimated })]
    },
    ReadReceipt({ event, state }) {
      // There are no events for played messages there.
      return state === 'Played' ? [] : [named('ReadReceipt', { event: sourcedEvent(event), state })]
    },
    ChatPresence: ({ event }) => [named('ChatPresence', { event: sourcedEvent(event) })],
    QR: ({ qrCodeBase64 }) => [named('QR', { event: 'code', qrCodeBase64 })],
    QRTimeout: () => [named('QRTimeout', { event: 'timeout' })],
  }
  const common = {
    events: [...SAME, 'Message', 'ReadReceipt', 'ChatPresence', 'QR', 'QRTimeout'],
    readers,
    sign: (body: Buffer, secret: string) => ({
      'x-hmac-signature': createHmac('sha256', secret).update(body).digest('hex'),
    }),
  }
  return [
    toFormat({
      ...common,
      name: 'wuzapi',
      title: 'WuzAPI (JSON)',
      bodyOf: ({ data }, { session, token }) =>
        JSON.stringify({ ...(data as object), instanceName: session.name, userID: session.id, token }),
    }),
    toFormat({
      ...common,
      name: 'wuzapi-form',
      title: 'WuzAPI (form)',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      includesToken: true,
      bodyOf: ({ data }, about) => formOf(data, about),
    }),
  ]
}

/** Fields in the order of their names, as it encodes them. */
function formOf(data: unknown, { session, token = '' }: About): string {
  const fields = { instanceName: session.name, jsonData: JSON.stringify(data), token, userID: session.id }
  return new URLSearchParams(fields).toString()
}

function named(type: string, data: object): Named {
  return { event: type, data: { ...data, type } }
}
