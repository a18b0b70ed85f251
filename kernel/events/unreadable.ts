import { Type as T } from 'typebox'
import { reasonOf } from '../errors.ts'
import type { EventDeclaration, NewEvent, Signal, SignalOrigin } from '../types/events.ts'

/** Most bytes of the content in an event; the rest is not kept. */
const MAX_BYTES = 64 * 1024
const MAX_REASON = 500

interface Unread {
  readonly signal: Pick<Signal, 'name' | 'time'>
  readonly error: unknown
  /** Whose translator has failed; absent if there was nothing to translate. */
  readonly plugin?: string
  /** Class of the event. */
  readonly as: string | undefined
  readonly origin: SignalOrigin | undefined
}

/** Stands for the events that would have told of a signal. The same message is told of once. */
export function unreadableEvent({ signal, error, plugin = '', as, origin = {} }: Unread): NewEvent {
  const { chat = '', sender = '', fromMe = false, id = '', time = signal.time, bytes } = origin
  const event = {
    Signal: signal.name,
    Plugin: plugin,
    Reason: reasonOf(error).slice(0, MAX_REASON),
    Chat: chat,
    Sender: sender,
    IsFromMe: fromMe,
    ID: id,
    Timestamp: time,
    Size: bytes?.length ?? 0,
    Bytes: Buffer.from(bytes?.subarray(0, MAX_BYTES) ?? []).toString('base64'),
  }
  return {
    type: 'Unreadable',
    ...(as ? { class: as } : {}),
    ...(id ? { key: `${signal.name} ${plugin} ${chat} ${sender} ${id}` } : {}),
    ...(chat ? { chat } : {}),
    time,
    body: { event },
  }
}

/** For the plugin that declares it. */
export const UNREADABLE: EventDeclaration = {
  class: 'All',
  summary:
    "Content that can't be read was received, for example a message that is nested too deeply; it is acknowledged and has no other event. Its class is that of the missing event: `Message` for a message",
  schema: T.Object({
    Signal: T.String({ description: 'Kind of signal: message, receipt, stanza.notification …' }),
    Plugin: T.String({ description: 'The plugin that failed; empty if nothing could be made of the bytes' }),
    Reason: T.String({ description: 'In words' }),
    Chat: T.String({ description: 'Empty if not of a chat' }),
    Sender: T.String(),
    IsFromMe: T.Boolean(),
    ID: T.String({ description: 'Of the message, the receipt or the call; empty if it has none' }),
    Timestamp: T.String({ format: 'date-time' }),
    Size: T.Integer({ description: 'Bytes of the decrypted content' }),
    Bytes: T.String({ description: 'The content, at most its first 64 KiB, in base64' }),
  }),
}
