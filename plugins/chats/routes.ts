import { Done, Jid, leaveGroup } from 'wamux/messaging'
import {
  type GatewayServices,
  gatewayError,
  isGatewayError,
  type Kernel,
  type LiveSession,
  type RouteBuilder,
  T,
} from 'wamux/plugin'
import { secondsOf, setTimer, TIMERS } from './disappearing-timer.ts'
import { chatBy, isOn, onOff } from './fields.ts'
import { requestHistory } from './history.ts'
import type { LastMessages } from './last-messages.ts'

const ALWAYS = -1
const HOUR_S = 3600
const DEFAULT_S = 8 * HOUR_S
/** A larger number is not meant as seconds; phones could not display the resulting year. */
const MAX_S = 100 * 365 * 24 * HOUR_S
const WORDS = new Map<unknown, number>([
  ['8h', 8 * HOUR_S],
  ['1w', 7 * 24 * HOUR_S],
  ['always', ALWAYS],
])

const MUTE_WORDS = [...WORDS.keys()]

/** The end of a mute: milliseconds since 1970, as phones read it (Baileys' README says a duration), or -1. */
function muteEnd(duration: number | string | undefined, now: number): number {
  const seconds = WORDS.get(duration) ?? Number(duration ?? 0)
  if (seconds === ALWAYS) return ALWAYS
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > MAX_S)
    throw gatewayError('FIELD_INVALID', ['Duration', 'must be seconds, "8h", "1w" or "always"'])
  return now + (seconds || DEFAULT_S) * 1000
}

export type Deps = Kernel<unknown> &
  Pick<GatewayServices, 'sender' | 'targets'> & { lastMessages: LastMessages }

/** The state of a chat in the chat list, on all devices of the account. */
export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/chat/pin', {
    ignoresUnknown: true,
    leaves: [],
    isIdempotent: true,
    summary: 'Pin a chat, or unpin it',
    description: '`Pin` also takes true and false.',
    example: { Chat: '5511999999999', Pin: 'pin' },
    body: T.Object({ Chat: chatBy('Chat'), Pin: onOff('pin', 'unpin') }),
    response: Done,
    async handle({ body, session }, { targets }) {
      const pin = isOn('Pin', body.Pin, 'pin', 'unpin')
      await session.socket.modify({ pin }, await targets.resolveChat(session, body.Chat, 'Chat'))
      return { Details: pin ? 'Chat pinned' : 'Chat unpinned' }
    },
  }),
  r.post('/chat/unpin', {
    ignoresUnknown: true,
    leaves: [],
    isIdempotent: true,
    summary: 'Unpin a chat',
    description: 'The same as `POST /chat/pin` with `Pin` false.',
    example: { Chat: '5511999999999' },
    body: T.Object({ Chat: chatBy('Chat') }),
    response: Done,
    async handle({ body, session }, { targets }) {
      await session.socket.modify({ pin: false }, await targets.resolveChat(session, body.Chat, 'Chat'))
      return { Details: 'Chat unpinned' }
    },
  }),
  r.post('/chat/archive', {
    ignoresUnknown: true,
    leaves: [],
    isIdempotent: true,
    summary: 'Archive a chat, or unarchive it',
    example: { Chat: '5511999999999', Archive: true },
    description: 'Archiving also unpins.',
    body: T.Object({ Chat: chatBy('Chat'), Archive: onOff('archive', 'unarchive') }),
    response: Done,
    async handle({ body, session }, { lastMessages, targets }) {
      const chat = await targets.resolveChat(session, body.Chat, 'Chat')
      const archive = isOn('Archive', body.Archive, 'archive', 'unarchive')
      await session.socket.modify({ archive, lastMessages: await lastMessages.range(session, chat) }, chat)
      if (archive) await session.socket.modify({ pin: false }, chat)
      return { Details: archive ? 'Chat archived' : 'Chat unarchived' }
    },
  }),
  r.post('/chat/mute', {
    ignoresUnknown: true,
    leaves: [],
    isIdempotent: true,
    summary: 'Mute a chat, or unmute it',
    description: 'Nobody else sees it.',
    example: { Chat: '5511999999999', Mute: true, Duration: 28800 },
    body: T.Object({
      Chat: chatBy('Chat'),
      Mute: onOff('mute', 'unmute'),
      Duration: T.Optional(
        T.Unsafe<number | string>({
          type: ['integer', 'string'],
          maxLength: 16,
          words: MUTE_WORDS,
          aliases: ['duration_seconds'],
          description: 'Seconds, "8h", "1w" or "always" (-1); 8 hours when absent or 0',
        }),
      ),
    }),
    response: Done,
    async handle({ body, session }, { targets }) {
      const mute = isOn('Mute', body.Mute, 'mute', 'unmute') ? muteEnd(body.Duration, Date.now()) : null
      await session.socket.modify({ mute }, await targets.resolveChat(session, body.Chat, 'Chat'))
      return { Details: mute === null ? 'Chat unmuted' : 'Chat muted' }
    },
  }),
  r.post('/chat/delete', {
    ignoresUnknown: true,
    leaves: [],
    isDestructive: true,
    isIdempotent: true,
    chain: { isLast: true },
    summary: 'Delete a chat from the account',
    example: { Phone: '5511999999999' },
    description: 'Deletes the whole chat; /message/delete deletes a message. A group is left first.',
    body: T.Object({ Phone: chatBy('Phone') }),
    response: Done,
    async handle({ body, session }, { lastMessages, targets }) {
      const chat = await targets.resolveChat(session, body.Phone)
      const range = await lastMessages.range(session, chat)
      if (Jid.isGroup(chat)) await leaveIfMember(session, chat)
      await session.socket.modify({ delete: true, lastMessages: range }, chat)
      return { Details: 'Chat deleted' }
    },
  }),
  r.post('/chat/read', {
    ignoresUnknown: true,
    leaves: ['recipient'],
    isIdempotent: true,
    summary: 'Mark a chat as read',
    example: { Phone: '5511999999999' },
    description: 'On all devices; a read receipt is sent for its last message.',
    body: T.Object({ Phone: chatBy('Phone') }),
    response: Done,
    async handle({ body, session }, { lastMessages, targets }) {
      const chat = await targets.resolveChat(session, body.Phone)
      const unread = await lastMessages.unread(session, chat)
      const range = await lastMessages.range(session, chat)
      await session.socket.modify({ markRead: true, lastMessages: range }, chat)
      if (unread) await session.socket.markRead([unread])
      return { Details: 'Chat marked as read' }
    },
  }),
  r.post('/chat/unread', {
    ignoresUnknown: true,
    leaves: [],
    isIdempotent: true,
    summary: 'Mark a chat as unread',
    description: 'Shows the unread mark on all devices of the account; nobody else sees it.',
    example: { Phone: '5511999999999' },
    body: T.Object({ Phone: chatBy('Phone') }),
    response: Done,
    async handle({ body, session }, { lastMessages, targets }) {
      const chat = await targets.resolveChat(session, body.Phone)
      const range = await lastMessages.range(session, chat)
      await session.socket.modify({ markRead: false, lastMessages: range }, chat)
      return { Details: 'Chat marked as unread' }
    },
  }),
  r.post('/chat/history', {
    leaves: [],
    summary: 'Request older messages of a chat from the phone',
    example: { Phone: '5511999999999', BeforeID: '3A1B2C3D4E5F60718293', Count: 50 },
    description:
      'As soon as it is online, the phone answers with the event HistorySync, whose requestID is RequestId; it may ' +
      'have fewer messages, or none. To page on, name the oldest message of the answer, with its BeforeTimestamp.',
    body: T.Object({
      Phone: chatBy('Phone'),
      BeforeID: T.Optional(
        T.String({
          minLength: 1,
          maxLength: 64,
          format: 'id',
          aliases: ['MessageId'],
          description: 'Only messages before this one; the last known message of the chat when absent',
        }),
      ),
      BeforeTimestamp: T.Optional(
        T.String({
          minLength: 1,
          maxLength: 40,
          format: 'id',
          description: 'Time of that message, if it is not stored here: RFC 3339, or seconds since 1970',
        }),
      ),
      IsFromMe: T.Optional(
        T.Boolean({ description: 'Whether that message is your own, if it is not stored here' }),
      ),
      Count: T.Optional(
        T.Integer({ minimum: 0, maximum: 50, description: 'Number of messages; 50 when absent or 0' }),
      ),
    }),
    response: T.Object({ Details: T.String(), RequestId: T.String() }),
    async handle({ body, session, viewer }, { lastMessages, targets }) {
      const chat = await targets.resolveChat(session, body.Phone)
      const { BeforeID: id, BeforeTimestamp: timestamp, IsFromMe: isFromMe = false, Count } = body
      const before = { id, timestamp, isFromMe }
      const RequestId = await requestHistory(lastMessages, { session, viewer }, chat, before, Count || 50)
      return { Details: 'History requested', RequestId }
    },
  }),
  r.post('/chat/disappearing-timer', {
    ignoresUnknown: true,
    leaves: ['recipient'],
    isDestructive: true,
    isIdempotent: true,
    summary: 'Set the disappearing timer of a chat',
    description: 'New messages of the chat disappear after that time; both sides can change it.',
    example: { phone: '5511999999999', timer: '7d' },
    body: T.Object({
      phone: chatBy('phone'),
      timer: T.String({
        minLength: 1,
        maxLength: 16,
        words: TIMERS,
        description: 'off, 24h, 7d or 90d',
        examples: ['24h'],
      }),
    }),
    response: Done,
    async handle({ body, session, viewer, header, traceparent }, { sender, targets }) {
      const request = { session, viewer, header, traceparent }
      await setTimer({ ...request, sender, targets }, body.phone, secondsOf(body.timer))
      return { Details: 'Disappearing timer set' }
    },
  }),
]

/** An account that has already left a group may still delete its chat. */
async function leaveIfMember(session: LiveSession, group: string): Promise<void> {
  await leaveGroup(session, group).catch((error: unknown) => {
    if (!isGatewayError(error) || error.code !== 'NETWORK_FORBIDDEN') throw error
  })
}
