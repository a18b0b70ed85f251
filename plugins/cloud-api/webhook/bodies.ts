import { altOf, Jid, unixSeconds } from 'wamux/messaging'
import {
  type ErrorCode,
  type Events,
  type GatewayEvents,
  gatewayError,
  type LogEvent,
  type Session,
} from 'wamux/plugin'
import { graphRowOf } from '../graph/graph-error.ts'
import { numberIdOf, phoneOf } from '../graph/number-id.ts'
import type { ChatForms, SentFacts } from '../store/sent-facts.ts'
import { contentOf } from './content.ts'
import { isSent, type Normal, type ValueContext } from './events.ts'

/** Converts the events of a session to webhook bodies. */
export interface Bodies {
  /**
   * Each is posted separately: clients read only the first message or status of a body. None for events without a form in
   * Graph.
   */
  of(event: LogEvent, about: ValueContext): Promise<string[]>
}

interface Deps {
  events: Events
  sentFacts: SentFacts
}

type MessageEvent = GatewayEvents['Message']
type Receipt = GatewayEvents['ReadReceipt']['receipt']

export function createBodies({ events, sentFacts }: Deps): Bodies {
  async function statusOf(session: Session, id: string, chat: ChatForms, fields: object): Promise<object> {
    const callback = (await sentFacts.find(session.id, id, chat))?.callback
    return { id, ...fields, ...(callback ? { biz_opaque_callback_data: callback } : {}) }
  }

  async function ofMessage(line: LogEvent, about: ValueContext): Promise<string[]> {
    const { message } = line.body as unknown as MessageEvent
    const { chat, isFromMe } = message
    const { session, jid } = about
    if (isSent(line)) {
      const status = await statusOf(session, message.id, chat, {
        status: 'sent',
        ...at(message.time),
        ...to(message),
      })
      return [bodyOf(about, { statuses: [status] })]
    }
    const content = await contentOf(line, about, { events, sentFacts })
    if (!content) return []
    const head = { id: message.id, timestamp: String(unixSeconds(message.time)), ...content }
    if (isFromMe) {
      const echo = { from: phoneOf(jid), to: numberOf(chat), ...head }
      return [bodyOf(about, { message_echoes: [echo] }, 'smb_message_echoes')]
    }
    const from = numberOf(message.from)
    const group = chat.isGroup ? { group_id: chat.jid } : {}
    const { name } = message.from
    const userId = message.from.lid ? { user_id: message.from.lid } : {}
    const contact = { profile: { name: name || from }, wa_id: from, ...userId }
    const fromId = message.from.lid ? { from_user_id: message.from.lid } : {}
    return [bodyOf(about, { contacts: [contact], messages: [{ from, ...fromId, ...group, ...head }] })]
  }

  async function ofReceipt(receipt: Receipt, about: ValueContext): Promise<string[]> {
    const { chat, from, status, time, ids } = receipt
    // Graph has no status for a played voice message.
    const fields = {
      status: status === 'played' ? 'read' : status,
      ...at(time),
      recipient_id: numberOf(from),
      ...userIdOf(from),
    }
    const statuses = await Promise.all(ids.map((id) => statusOf(about.session, id, chat, fields)))
    return statuses.map((one) => bodyOf(about, { statuses: [one] }))
  }

  async function ofFailed(event: Record<string, unknown>, about: ValueContext): Promise<string[]> {
    const { session } = about
    const [id, chat, code, details] = [event['Id'], event['Chat'], event['Code'], event['Error']].map(String)
    // The row with which a send that awaits its outcome is answered.
    const row = graphRowOf(gatewayError(code as ErrorCode))
    const names = [chat ?? '', await altOf(session, chat ?? '')]
    const phone = names.map(phoneOf).find((one) => one !== '')
    const lid = names.find(Jid.isLid) ?? ''
    const fields = {
      status: 'failed',
      ...at(String(event['Timestamp'])),
      recipient_id: phone ?? chat,
      ...userIdOf({ lid }),
      errors: [{ code: row.code, title: row.title, message: row.title, error_data: { details } }],
    }
    const forms = { jid: chat ?? '', phone: phone ?? '', lid }
    return [bodyOf(about, { statuses: [await statusOf(session, id ?? '', forms, fields)] })]
  }

  return {
    async of(line, about) {
      const { type, body } = line
      if (type === 'Message') return ofMessage(line, about)
      if (type === 'ReadReceipt') return ofReceipt(body['receipt'] as Receipt, about)
      if (type === 'SendFailed') return ofFailed(body['event'] as Record<string, unknown>, about)
      // A test delivery shows the address, the signature and the form.
      return type === 'Test' ? [bodyOf(about, {})] : []
    },
  }
}

function bodyOf({ session, jid }: ValueContext, value: object, field = 'messages'): string {
  const id = numberIdOf({ id: session.id, jid })
  const metadata = { display_phone_number: phoneOf(jid), phone_number_id: id }
  const change = { value: { messaging_product: 'whatsapp', metadata, ...value }, field }
  const entry = { id, changes: [change] }
  return JSON.stringify({ object: 'whatsapp_business_account', entry: [entry] })
}

/** The number; if only the LID is known, its JID, to which a message can be sent. */
function numberOf({ phone, jid }: { phone: string; jid: string }): string {
  return phone || jid
}

function to({ chat }: Normal): Record<string, string> {
  return { recipient_id: numberOf(chat), ...userIdOf(chat) }
}

function userIdOf({ lid }: { lid: string }): Record<string, string> {
  return lid ? { recipient_user_id: lid } : {}
}

function at(time: string): { timestamp: string } {
  return { timestamp: String(unixSeconds(time)) }
}
