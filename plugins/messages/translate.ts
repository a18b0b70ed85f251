import type { GatewayServices, GatewaySignals, Recording } from 'wamux/plugin'
import { toFamilyCasing } from './casing.ts'
import { flagsOf, infoOf } from './info.ts'

type Wire = GatewayServices['wire']

export function ofMessage(wire: Wire, me: string, { message, attrs }: GatewaySignals['message']): Recording {
  return record(wire, me, message, attrs)
}

export function ofSent(wire: Wire, me: string, { message }: GatewaySignals['message.sent']): Recording {
  return record(wire, me, message, {})
}

function record(
  wire: Wire,
  me: string,
  message: GatewaySignals['message']['message'],
  attrs: Record<string, string>,
): Recording {
  const content = wire.proto.Message.fromObject(message.message ?? {})
  const info = infoOf(message, content, attrs, me)
  const { inner, flags } = flagsOf(content, attrs)
  const event = { Info: info, Message: toFamilyCasing(wire.proto.Message.fromObject(inner)), ...flags }
  // The sender is part of the key: two people may choose the same id. A sent message and its echo from the
  // network are one.
  const key = `${info.Chat} ${info.IsFromMe ? 'me' : info.Sender} ${info.ID} ${info.Edit}`
  return { events: [{ type: 'Message', key, chat: info.Chat, time: info.Timestamp, body: { event } }] }
}

const STATES = { delivered: 'Delivered', read: 'Read', 'read-self': 'ReadSelf', played: 'Played' } as const
const TYPES = { delivered: '', read: 'read', 'read-self': 'read-self', played: 'played' } as const

export function ofReceipt(receipt: GatewaySignals['receipt']): Recording {
  const { chat, sender, senderAlt, ids, type, fromMe, time } = receipt
  const event = {
    Chat: chat,
    Sender: sender,
    SenderAlt: senderAlt,
    IsFromMe: fromMe,
    IsGroup: chat.endsWith('@g.us'),
    MessageIDs: ids,
    Timestamp: time,
    Type: TYPES[type],
    MessageSender: '',
  }
  const key = `${chat} ${sender} ${type} ${ids.join()}`
  return { events: [{ type: 'ReadReceipt', key, chat, time, body: { event, state: STATES[type] } }] }
}

export function ofUndecryptable(failed: GatewaySignals['message.undecryptable']): Recording {
  const { chat, sender, id, reason, time } = failed
  const event = { Chat: chat, Sender: sender, ID: id, Reason: reason, Timestamp: time }
  return {
    events: [{ type: 'UndecryptableMessage', key: `${chat} ${sender} ${id}`, chat, time, body: { event } }],
  }
}
