import { altOf, digits, LENGTHS } from 'wamux/messaging'
import {
  type createKeyedQueue,
  type GatewayServices,
  gatewayError,
  type Kernel,
  pageOf,
  type RouteBuilder,
  type Session,
  T,
} from 'wamux/plugin'
import type { Chats, ListedChat } from './chats.ts'
import type { ChatLogConfig } from './config.ts'
import type { MessageQuery, Messages } from './messages.ts'
import { ChatView, MessageView, type Shown, toView } from './view.ts'

type Deps = Kernel<ChatLogConfig> &
  Pick<GatewayServices, 'targets'> & {
    chats: Chats
    messages: Messages
    searches: ReturnType<typeof createKeyedQueue>
    attachments?: GatewayServices['attachments'] | undefined
  }

/** What it records is read here. */
const CONSUMER = 'chat-log'
const MAX_LIMIT = 200
const access = 'token'
const isFiltered = true

const page = {
  before: digits('`Before` of the previous page; the newest when absent'),
  limit: digits(`Page size, at most ${MAX_LIMIT}; 50 when absent; a page has at most a megabyte`, 4),
}
const Before = T.Integer({ description: 'Pass it as `before` to get the next page; 0 if there is none' })
const MessagePage = T.Object({ Messages: T.Array(MessageView), Before })

/** Chats and their messages, from the event log. */
export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/chats', {
    summary: 'List the chats that have messages in the log, the most recently active first',
    description:
      'With name, number of unread messages and the last message. A chat in which a message is logged meanwhile moves to the first page.',
    access,
    isFiltered,
    example: { limit: '20' },
    body: T.Object(page),
    response: T.Object({ Chats: T.Array(ChatView), Before }),
    async handle({ body, session, viewer }, { chats, attachments, consumers }) {
      await consumers.caughtUp(CONSUMER)
      const { before, limit } = rangeOf(body)
      const found = await chats.page(session.id, viewer, before, limit)
      const page = pageOf(found.chats, (chat) => toChatView(chat, attachments))
      const { items, isCut, cursor } = page
      return { Chats: items, Before: (isCut && cursor?.last?.line.seq) || found.next }
    },
  }),
  r.get('/chats/search', {
    summary: 'Search the messages of all chats, newest first',
    description:
      'Contents are sealed in the database, so a search decrypts one message after the other: one call reads a limited number (setting `searchMessages`), and `Before` of the answer continues the search. A page may have fewer matches than `limit`, or none, and still not be the last.',
    access,
    isFiltered,
    example: { text: 'invoice' },
    body: T.Object({
      text: T.String({
        minLength: 1,
        maxLength: LENGTHS.line,
        description:
          'Words that the message must all contain, in any case and order; parts of words match too',
      }),
      ...page,
    }),
    response: T.Object({
      Messages: T.Array(MessageView),
      Before,
      Read: T.Integer({ description: 'Number of messages read for this page' }),
    }),
    async handle({ body, session, viewer }, { config, messages, searches, attachments, consumers }) {
      await consumers.caughtUp(CONSUMER)
      const query = { session: session.id, viewer, ...rangeOf(body), most: config.searchMessages }
      const found = await searches.run(session.id, () =>
        search(messages, query, body.text, (one) => toView(one, attachments)),
      )
      return {
        Messages: [...found.items],
        Before: found.next,
        Read: found.read,
      }
    },
  }),
  r.get('/chats/:jid/messages', {
    summary: 'Read the messages of a chat, newest first',
    description:
      'With edits, deletions and reactions applied: an edited message has its new text, a deleted one none. `jid` is a JID or a phone number. As far back as the event log goes.',
    access,
    isFiltered,
    example: { limit: '20' },
    errors: ['CHAT_UNKNOWN', 'PHONE_INVALID'],
    body: T.Object({
      text: T.Optional(
        T.String({
          minLength: 1,
          maxLength: LENGTHS.line,
          description: 'Words to search for, as in /chats/search',
        }),
      ),
      ...page,
    }),
    response: MessagePage,
    async handle({ body, params, session, viewer }, deps) {
      const { config, messages, searches, attachments, consumers } = deps
      const { before, limit } = rangeOf(body)
      const chat = deps.targets.toChat(params['jid'] ?? '')
      // Checked before anything is read: the response time must not reveal that the chat exists.
      if (!(await viewer.seesChat(session.id, chat))) throw gatewayError('CHAT_UNKNOWN')
      await consumers.caughtUp(CONSUMER)
      const lanes = await lanesOf(deps, session, chat)
      const query = { session: session.id, viewer, lanes, before, limit }
      const most = config.searchMessages
      const { text } = body
      const show = (one: Shown) => toView(one, attachments)
      const found = text
        ? await searches.run(session.id, () => search(messages, { ...query, most }, text, show))
        : await messages.page({ ...query, most: Math.max(limit, MAX_LIMIT) }, show)
      if (body.before === undefined && !text && found.items.length === 0) throw gatewayError('CHAT_UNKNOWN')
      return { Messages: [...found.items], Before: found.next }
    },
  }),
]

function rangeOf({ before, limit = '50' }: { before?: string; limit?: string }) {
  return {
    before: before === undefined ? Number.MAX_SAFE_INTEGER : Number(before),
    limit: Math.min(MAX_LIMIT, Number(limit) || 1),
  }
}

/** The lanes of both forms of a person's JID. */
async function lanesOf({ events }: Deps, session: Session, chat: string): Promise<string[]> {
  const alt = await altOf(session, chat)
  return [chat, alt].filter(Boolean).map((one) => events.lane(session.id, one))
}

function toChatView({ info, name, unread, timer, last }: ListedChat, attachments: Deps['attachments']) {
  return {
    JID: info.jid,
    Phone: info.phone,
    LID: info.lid,
    Type: info.type,
    Name: name,
    Unread: unread,
    Timer: timer,
    ...(last ? { Last: toView(last, attachments) } : {}),
  }
}

/**
 * Messages with all words of `text`, newest first. Contents are sealed, so each message is decrypted: at most `most` per
 * call. @returns `read`: the number of decrypted messages.
 */
async function search<I>(
  messages: Messages,
  query: Omit<MessageQuery, 'matches'>,
  text: string,
  toItem: (shown: Shown) => I,
): Promise<{ items: readonly I[]; next: number; read: number }> {
  const words = plain(text).split(/\s+/).filter(Boolean)
  let read = 0
  const matches = ({ message, deleted }: Shown): boolean => {
    read += 1
    if (deleted) return false
    const content = plain(`${message.text} ${message.media?.fileName ?? ''}`)
    return words.every((word) => content.includes(word))
  }
  const found = await messages.page({ ...query, matches }, toItem)
  return { ...found, read }
}

/** Removes case and accents. */
function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}
