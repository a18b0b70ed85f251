import { type EventDeclaration, type Recording, type Signal, T } from 'wamux/plugin'

interface ScheduleBody {
  event: { Id: string; Chat: string; Route: string; SendAt: string; Code: string; Error: string }
}

declare module 'wamux/plugin' {
  interface GatewaySignals {
    /** A message was scheduled, or a scheduled message has ended. */
    'schedule.changed': {
      type: 'MessageScheduled' | 'ScheduleCancelled' | 'ScheduleSent' | 'ScheduleFailed'
      id: string
      /** Milliseconds since 1970; distinguishes repeated scheduling under one id. */
      created: number
      chat: string
      path: string
      /** RFC 3339 */
      sendAt: string
      code?: string
      error?: string
    }
  }
  interface GatewayEvents {
    MessageScheduled: ScheduleBody
    ScheduleCancelled: ScheduleBody
    ScheduleSent: ScheduleBody
    ScheduleFailed: ScheduleBody
  }
}

const schema = T.Object({
  Id: T.String({ description: 'Message id, also of the message once it is sent' }),
  Chat: T.String({ description: 'Can be used as Phone' }),
  Route: T.String({ description: 'The route with which it was scheduled, for example /send/text' }),
  SendAt: T.String({ format: 'date-time' }),
  Code: T.String({ description: 'Error code if it failed; otherwise empty' }),
  Error: T.String({ description: 'In words' }),
})
const declare = (summary: string): EventDeclaration => ({ class: 'Schedule', summary, schema })

export const events = {
  MessageScheduled: declare('A message was scheduled'),
  ScheduleCancelled: declare('A scheduled message was cancelled'),
  ScheduleSent: declare('A scheduled message is due and in the outbox; Message or SendFailed follows'),
  ScheduleFailed: declare('A scheduled message was not sent when it was due'),
} satisfies Record<string, EventDeclaration>

export function ofChange({ data }: Signal<'schedule.changed'>): Recording {
  const { type, id, created, chat, path, sendAt, code = '', error = '' } = data
  const event = { Id: id, Chat: chat, Route: path, SendAt: sendAt, Code: code, Error: error }
  return { events: [{ type, key: `${id} ${created}`, chat, body: { event } }] }
}
