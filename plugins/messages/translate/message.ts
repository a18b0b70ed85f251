import { createHash } from 'node:crypto'
import type { proto, WAMessage } from '@whiskeysockets/baileys'
import type { GatewayServices, GatewaySignals, Recording, Session, Sessions } from 'wamux/plugin'
import { reachedBy, type States } from '../state/states.ts'
import { toFamilyCasing } from './casing.ts'
import { flagsOf, type Info, identityOf, infoOf, POST_EDIT, preferLid } from './info.ts'
import { normalize, normalizeReceipt, normalizeUndecryptable } from './normalize.ts'
import type { Polls } from './polls.ts'

export interface TranslateParts {
  wire: GatewayServices['wire']
  polls: Polls
  states: States
  session: Pick<Session, 'id' | 'jid' | 'lid'> & Partial<Pick<Session, 'socket'>>
}

/** The dependencies of a translation, for one session. */
export async function partsOf(
  deps: Omit<TranslateParts, 'session'> & { sessions: Sessions },
  id: string,
): Promise<TranslateParts> {
  const { wire, polls, states, sessions } = deps
  return { wire, polls, states, session: (await sessions.byId(id)) ?? { id, jid: '', lid: '' } }
}

export async function ofMessage(
  parts: TranslateParts,
  { message, attrs }: GatewaySignals['message'],
): Promise<Recording> {
  return record(parts, message, attrs)
}

export async function ofSent(
  parts: TranslateParts,
  { message }: GatewaySignals['message.sent'],
): Promise<Recording> {
  return record(parts, message, {})
}

async function record(
  { wire, polls, states, session }: TranslateParts,
  message: WAMessage,
  attrs: Record<string, string>,
): Promise<Recording> {
  const content = wire.proto.Message.fromObject(message.message ?? {})
  const { inner, flags } = flagsOf(content, attrs)
  const info = infoOf(message, inner, attrs, session.jid)
  const people = peopleOf(info, session)
  const whole = {
    ...inner,
    messageContextInfo: inner.messageContextInfo ?? content.messageContextInfo ?? null,
  }
  const vote = await polls.read(session.id, whole, people)
  const event = {
    Info: info,
    Message: toFamilyCasing(wire.proto.Message.fromObject(inner)),
    ...flags,
    ...(vote ? { PollVote: vote } : {}),
  }
  const state = info.IsFromMe ? 'Sent' : 'Delivered'
  const { ID: id, Chat: chat, Timestamp: time } = info
  const identity = identityOf(info)
  return {
    // The author is part of the key: two people may choose the same id. A sent message and its echo from the
    // network are one.
    events: [
      {
        type: 'Message',
        key: `${identity.chat} ${identity.author} ${id} ${info.Edit}${versionOf(attrs, event.Message)}`,
        chat: identity.chat,
        time,
        body: { event, message: await normalize({ session, info, inner, flags, vote }), ...stickerOf(inner) },
      },
    ],
    writes: [
      ...states.enter(session.id, [{ message: id, fromMe: info.IsFromMe, state, chat, time }]),
      ...polls.keep(session.id, id, whole, people),
    ],
  }
}

/** Distinguishes the edits of a post, all of which have its id. */
function versionOf({ edit, t, msg_edit_t: edited = t }: Record<string, string>, content: object): string {
  if (edit !== POST_EDIT) return ''
  return ` ${edited} ${createHash('sha256').update(JSON.stringify(content)).digest('hex')}`
}

/** The JIDs of the author, in every known form. */
function peopleOf(info: Info, { jid, lid }: TranslateParts['session']): string[] {
  return info.IsFromMe ? [jid, lid] : [info.Sender, info.SenderAlt]
}

function stickerOf({ stickerMessage }: proto.IMessage): Record<string, boolean> {
  return stickerMessage ? { isSticker: true, stickerAnimated: stickerMessage.isAnimated === true } : {}
}

/** The same id may fail more than once. */
export function ofFailed(
  { id, chat, code, reason }: GatewaySignals['message.failed'],
  time: string,
): Recording {
  const event = { Id: id, Chat: chat, Code: code, Error: reason, Timestamp: time }
  return { events: [{ type: 'SendFailed', key: `${chat} ${id} ${time}`, chat, time, body: { event } }] }
}

const STATES = { delivered: 'Delivered', read: 'Read', 'read-self': 'ReadSelf', played: 'Played' } as const
const TYPES = { delivered: '', read: 'read', 'read-self': 'read-self', played: 'played' } as const

export function ofReceipt(
  { states, session }: Pick<TranslateParts, 'states' | 'session'>,
  receipt: GatewaySignals['receipt'],
): Recording {
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
  const author = preferLid(sender, senderAlt)
  // In a 1:1 chat the receipt belongs to the lane of the message.
  const lane = chat === sender ? author : chat
  const key = `${lane} ${author} ${type} ${ids.join()}`
  return {
    events: [
      {
        type: 'ReadReceipt',
        key,
        chat: lane,
        time,
        body: { event, receipt: normalizeReceipt(session, receipt), state: STATES[type] },
      },
    ],
    writes: states.enter(session.id, reachedBy(receipt)),
  }
}

export function ofUndecryptable(
  wire: GatewayServices['wire'],
  session: Pick<Session, 'jid' | 'lid'>,
  { message, attrs, reason, unavailable, onFailure }: GatewaySignals['message.undecryptable'],
): Recording {
  const info = infoOf(message, wire.proto.Message.create(), attrs, session.jid)
  const event = {
    Info: info,
    IsUnavailable: unavailable !== undefined,
    UnavailableType: unavailable ?? '',
    DecryptFailMode: onFailure,
    Reason: reason,
  }
  const { Timestamp: time, ID: id } = info
  const { chat, author } = identityOf(info)
  const key = `${chat} ${author} ${id}`
  const body = { event, message: normalizeUndecryptable(session, info) }
  return { events: [{ type: 'UndecryptableMessage', key, chat, time, body }] }
}
