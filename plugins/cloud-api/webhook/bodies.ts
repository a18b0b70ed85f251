import { altOf } from 'wamux/messaging'
import {
  type ErrorCode,
  type GatewayEvents,
  type GatewayServices,
  gatewayError,
  type Kernel,
  type LogEvent,
  type Session,
} from 'wamux/plugin'
import { SessionSchema, type SessionValues } from '../config.ts'
import { graphRowOf } from '../graph/graph-error.ts'
import { numberIdOf, phoneOf } from '../graph/number-id.ts'
import type { SentFacts } from '../store/sent-facts.ts'
import { contentOf } from './content.ts'

/** The events of a session as bodies of webhooks. */
export interface Bodies {
  /** Each is posted by itself: clients read the first message or status of a body only. None for what Graph has no word for. */
  of(event: LogEvent): Promise<string[]>
}

type Deps = Pick<Kernel<unknown>, 'sessions'> &
  Pick<GatewayServices, 'sessionSettings'> & { sentFacts: SentFacts }

type MessageEvent = GatewayEvents['Message']
type Normal = MessageEvent['message']
type Receipt = GatewayEvents['ReadReceipt']['receipt']

export function createBodies({ sessions, sessionSettings, sentFacts }: Deps): Bodies {
  async function statusOf(session: Session, id: string, fields: object): Promise<object> {
    const callback = (await sentFacts.find(session.id, id))?.callback
    return { id, ...fields, ...(callback ? { biz_opaque_callback_data: callback } : {}) }
  }

  async function ofMessage(session: Session, line: LogEvent, values: SessionValues): Promise<string[]> {
    const { message, annotations } = line.body as unknown as MessageEvent
    const { chat, isFromMe } = message
    if (annotations?.['cloud-api']?.['sent'] === true) {
      const status = await statusOf(session, message.id, {
        status: 'sent',
        ...at(message.time),
        ...to(message),
      })
      return [bodyOf(session, { statuses: [status] })]
    }
    if (!isShown(chat, values) || (isFromMe && !values.echoes)) return []
    const content = await contentOf(line, session, sentFacts)
    if (!content) return []
    const own = phoneOf(session.jid)
    const head = { id: message.id, timestamp: secondsOf(message.time), ...content }
    if (isFromMe) {
      const echo = { from: own, to: numberOf(chat), ...head }
      return [bodyOf(session, { message_echoes: [echo] }, 'smb_message_echoes')]
    }
    const from = numberOf(message.from)
    const group = chat.isGroup ? { group_id: chat.jid } : {}
    const { name } = message.from
    const userId = message.from.lid ? { user_id: message.from.lid } : {}
    const contact = { profile: { name: name || from }, wa_id: from, ...userId }
    const fromId = message.from.lid ? { from_user_id: message.from.lid } : {}
    return [bodyOf(session, { contacts: [contact], messages: [{ from, ...fromId, ...group, ...head }] })]
  }

  async function ofReceipt(session: Session, receipt: Receipt, values: SessionValues): Promise<string[]> {
    const { chat, from, status, isFromMe, time, ids } = receipt
    if (isFromMe || !isShown(chat, values)) return []
    // Graph has no word for a voice message that was played.
    const fields = {
      status: status === 'played' ? 'read' : status,
      ...at(time),
      recipient_id: numberOf(from),
      ...userIdOf(from),
    }
    const statuses = await Promise.all(ids.map((id) => statusOf(session, id, fields)))
    return statuses.map((one) => bodyOf(session, { statuses: [one] }))
  }

  async function ofFailed(session: Session, event: Record<string, unknown>): Promise<string[]> {
    const [id, chat, code, details] = [event['Id'], event['Chat'], event['Code'], event['Error']].map(String)
    // The row that a send which waits for its outcome is answered with.
    const row = graphRowOf(gatewayError(code as ErrorCode))
    const names = [chat ?? '', await altOf(session, chat ?? '')]
    const phone = names.map(phoneOf).find((one) => one !== '')
    const lid = names.find((one) => one.endsWith('@lid')) ?? ''
    const fields = {
      status: 'failed',
      ...at(String(event['Timestamp'])),
      recipient_id: phone ?? chat,
      ...userIdOf({ lid }),
      errors: [{ code: row.code, title: row.title, message: row.title, error_data: { details } }],
    }
    return [bodyOf(session, { statuses: [await statusOf(session, id ?? '', fields)] })]
  }

  return {
    async of(line) {
      const session = await sessions.byId(line.session)
      if (!session) return []
      const values = sessionSettings.of(session.id, 'cloud-api', SessionSchema)
      if (line.type === 'Message') return ofMessage(session, line, values)
      if (line.type === 'ReadReceipt') return ofReceipt(session, line.body['receipt'] as Receipt, values)
      return ofFailed(session, line.body['event'] as Record<string, unknown>)
    },
  }
}

function isShown({ type }: Normal['chat'], { groups }: SessionValues): boolean {
  return type === 'person' || (type === 'group' && groups)
}

function bodyOf(session: Session, value: object, field = 'messages'): string {
  const metadata = { display_phone_number: phoneOf(session.jid), phone_number_id: numberIdOf(session) }
  const change = { value: { messaging_product: 'whatsapp', metadata, ...value }, field }
  const entry = { id: numberIdOf(session), changes: [change] }
  return JSON.stringify({ object: 'whatsapp_business_account', entry: [entry] })
}

/** The number; where only the LID is known the JID, to which a message can be sent. */
export function numberOf({ phone, jid }: { phone: string; jid: string }): string {
  return phone || jid
}

function to({ chat }: Normal): Record<string, string> {
  return { recipient_id: numberOf(chat), ...userIdOf(chat) }
}

function userIdOf({ lid }: { lid: string }): Record<string, string> {
  return lid ? { recipient_user_id: lid } : {}
}

function at(time: string): { timestamp: string } {
  return { timestamp: secondsOf(time) }
}

function secondsOf(time: string): string {
  return String(Math.floor(Date.parse(time) / 1000))
}
