import { createHash } from 'node:crypto'
import type { proto, WAMessage } from '@whiskeysockets/baileys'
import { Jid, toFamilyCasing } from 'wamux/messaging'
import type { GatewayServices, GatewaySignals, Recording, Session, Sessions, Write } from 'wamux/plugin'
import type { Polls } from '../state/polls.ts'
import { reachedBy, type States } from '../state/states.ts'
import { describe } from './content.ts'
import { editOf, flagsOf, type Info, identityOf, infoOf, isEdit, POST_EDIT, preferLid } from './info.ts'
import { normalize, normalizeReceipt, normalizeUndecryptable } from './normalize.ts'

export interface TranslateParts {
  wire: GatewayServices['wire']
  states: States
  polls: Polls
  session: Pick<Session, 'id' | 'jid' | 'lid'> & Partial<Pick<Session, 'socket'>>
}

/** The dependencies of a translation, for one session. */
export async function partsOf(
  deps: Omit<TranslateParts, 'session'> & { sessions: Sessions },
  id: string,
): Promise<TranslateParts> {
  const { wire, states, polls, sessions } = deps
  return { wire, states, polls, session: (await sessions.byId(id)) ?? { id, jid: '', lid: '' } }
}

export async function ofMessage(
  parts: TranslateParts,
  { message, attrs, ...rest }: GatewaySignals['message'],
): Promise<Recording> {
  return record(parts, message, attrs, rest)
}

export async function ofSent(
  parts: TranslateParts,
  { message, sealed, corrects }: GatewaySignals['message.sent'],
): Promise<Recording> {
  return record(parts, message, {}, sealed ? { sealed } : {}, { isFromGateway: true, corrects })
}

async function record(
  { wire, states, polls, session }: TranslateParts,
  message: WAMessage,
  attrs: Record<string, string>,
  { sealed, business, right }: Pick<GatewaySignals['message'], 'sealed' | 'business' | 'right'>,
  {
    isFromGateway = false,
    corrects = false,
  }: { isFromGateway?: boolean; corrects?: boolean | undefined } = {},
): Promise<Recording> {
  const content = wire.proto.Message.fromObject(message.message ?? {})
  const { inner, flags: wrappers } = flagsOf(content)
  const info = infoOf(message, inner, attrs, session.jid, editOf(message, inner, attrs, right))
  const flags = { ...wrappers, IsEdit: isEdit(info) }
  const refused = right === 'none'
  const event = {
    Info: info,
    // The sealed form accompanies the plain one.
    Message: toFamilyCasing(wire.proto.Message.fromObject({ ...sealed?.envelope, ...inner })),
    ...flags,
    ...sealedFields(sealed),
    ...(corrects ? { Corrects: 'SendFailed' } : {}),
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
        key: `${identity.chat} ${identity.author} ${id} ${info.Edit}${versionOf(info, attrs, event.Message)}`,
        chat: identity.chat,
        time,
        body: {
          event,
          message: await normalize({ session, info, inner, flags, sealed, business, isFromGateway, refused }),
          ...stickerOf(inner),
        },
      },
    ],
    writes: [
      ...states.enter(session.id, [{ message: id, fromMe: info.IsFromMe, state, chat, time }]),
      ...(refused ? [] : pollWrites({ polls, session }, inner, sealed, identity, info)),
    ],
  }
}

/** A poll, or a vote in one, to be counted. */
function pollWrites(
  { polls, session }: Pick<TranslateParts, 'polls' | 'session'>,
  inner: proto.IMessage,
  sealed: Sealed,
  { chat, author }: ReturnType<typeof identityOf>,
  { ID: id, Timestamp, Sender, SenderAlt }: Info,
): Write[] {
  const { poll, targetId } = describe(inner)
  if (poll) {
    const { question, options, maxSelections: most, correctAnswer = '' } = poll
    const made = { chat, question, options, most, correctAnswer }
    if (!inner.protocolMessage) return [polls.create(session.id, { id, ...made })]
    // Only what was sealed is known to be of somebody who may change the poll.
    return sealed && targetId ? [polls.change(session.id, { id: targetId, ...made })] : []
  }
  const { vote } = sealed ?? {}
  if (!vote) return []
  const isOwn = author === 'me'
  const voter = isOwn ? session.lid || session.jid : author
  const alt = isOwn ? session.jid : [Sender, SenderAlt].find((jid) => jid && jid !== voter)
  const time = Number(inner.pollUpdateMessage?.senderTimestampMs ?? 0) || Date.parse(Timestamp)
  return [
    polls.vote(session.id, { poll: vote.poll, chat, voter, alt: alt ?? '', options: vote.options, time }),
  ]
}

/** Distinguishes the edits of a post, all of which have its id. */
function versionOf(
  { Edit }: Info,
  { t, msg_edit_t: edited = t }: Record<string, string>,
  content: object,
): string {
  if (Edit !== POST_EDIT) return ''
  return ` ${edited} ${createHash('sha256').update(JSON.stringify(content)).digest('hex')}`
}

type Sealed = GatewaySignals['message']['sealed']

/** The content of a vote or an answer to an event: only that is sealed, and it has no plain form. */
function sealedFields(sealed: Sealed): Record<string, object> {
  const { vote, answer } = sealed ?? {}
  return {
    ...(vote
      ? { PollVote: { PollID: vote.poll, Question: vote.question, SelectedOptions: vote.options } }
      : {}),
    ...(answer
      ? { EventResponse: { EventID: answer.event, Response: answer.response, Guests: answer.guests } }
      : {}),
  }
}

function stickerOf({ stickerMessage }: proto.IMessage): Record<string, boolean> {
  return stickerMessage ? { isSticker: true, stickerAnimated: stickerMessage.isAnimated === true } : {}
}

/** The same id may fail more than once. */
export function ofFailed(
  { id, chat, code, reason, outcome, until }: GatewaySignals['message.failed'],
  time: string,
): Recording {
  const event = {
    Id: id,
    Chat: chat,
    Code: code,
    Error: reason,
    Outcome: outcome,
    Timestamp: time,
    ...(until ? { Until: until } : {}),
  }
  return { events: [{ type: 'SendFailed', key: `${chat} ${id} ${time}`, chat, time, body: { event } }] }
}

const STATES = {
  delivered: 'Delivered',
  read: 'Read',
  'read-self': 'ReadSelf',
  played: 'Played',
  'played-self': 'PlayedSelf',
} as const

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
    IsGroup: Jid.isGroup(chat),
    MessageIDs: ids,
    Timestamp: time,
    Type: type === 'delivered' ? '' : type,
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
  { message, attrs, reason, unavailable, onFailure, edits }: GatewaySignals['message.undecryptable'],
): Recording {
  const info = infoOf(message, wire.proto.Message.create(), attrs, session.jid)
  const event = {
    Info: info,
    IsUnavailable: unavailable !== undefined,
    UnavailableType: unavailable ?? '',
    DecryptFailMode: onFailure,
    Reason: reason,
    ...(edits === undefined ? {} : { TargetID: edits }),
  }
  const { Timestamp: time, ID: id } = info
  const { chat, author } = identityOf(info)
  const key = `${chat} ${author} ${id}`
  const body = { event, message: normalizeUndecryptable(session, info, edits) }
  return { events: [{ type: 'UndecryptableMessage', key, chat, time, body }] }
}
