import type { GatewayServices } from 'wamux/plugin'
import { bare, child, children } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Action } from '../actions/action.ts'
import type { OwnDevice } from '../device/own-device.ts'
import { isViewOnce } from '../messages/kind.ts'
import type { PhoneMessages, Stored } from '../messages/store.ts'
import { createShownCalls, type ShownCall } from './calls.ts'
import { contentOf, hasContent, pollIn, type ShownContent, unwrap } from './content.ts'
import { createMarks, type Tick } from './marks.ts'

/** A chat in the list of a phone. */
export interface ShownChat {
  /** LID of a person, JID of a group or newsletter. */
  chat: string
  unread: number
  /** Seq of the newest message. */
  seq: number
}

/** A message as its bubble shows it, including later changes. */
export interface ShownMessage {
  Seq: number
  ID: string
  Chat: string
  /** Phone number of the author, or the JID if it is not a person. */
  From: string
  FromMe: boolean
  /** Unix seconds. */
  Time: number
  Kind: string
  Text: string
  Media?: { Mimetype: string; Size: number; Unreadable?: true }
  /** With `Chat` it is shown as a quote from another chat. */
  Quoted?: { ID: string; Text: string; Chat?: string }
  /** Id of the message that announces the album that it is shown in. */
  Album?: string
  /** The mark above it. */
  Forwarded?: 'once' | 'many times'
  Reactions: { From: string; Text: string }[]
  /** Chosen options of a poll, or answers to an event. */
  Answers?: { From: string; Chosen: string[] }[]
  /** Of an event. */
  Cancelled?: boolean
  Edited: boolean
  Revoked: boolean
  /** Until when it is pinned in the chat, Unix seconds; absent if it is not. */
  Pinned?: number
  /** When it disappears, Unix seconds; absent if it stays. */
  Expires?: number
  /** Shows a warning under the message, which lacks the timer of its chat. */
  WillNotDisappear?: boolean
  /** Of a message that is viewed once: whether it was. */
  ViewOnce?: 'closed' | 'opened'
  /** For own messages; '' otherwise. */
  Tick: Tick | ''
}

/** What a phone shows its user: chats, bubbles, calls. Publishes each change. */
export interface Display {
  /** Adds a message that the phone has sent or received. */
  add(message: Stored): void
  /** Handles a received stanza other than a message. */
  receive(stanza: Stanza): void
  /** Records an action of the user, which returned `id`. */
  acted(action: Action, id: unknown): void
  chats(): ShownChat[]
  /** The newest messages of a chat with a seq below `before`, oldest first. */
  page(chat: string, before: number, limit: number): ShownMessage[]
  calls(): readonly ShownCall[]
}

const TICKS: Readonly<Record<string, Tick>> = { delivered: 'delivered', read: 'read', played: 'played' }

/** @param opened ids of messages viewed once that were. */
export function createDisplay(
  { wire, network, account, slot }: OwnDevice,
  messages: PhoneMessages,
  opened: ReadonlySet<string>,
): Display {
  const { feed } = network
  const marks = createMarks(wire, slot)
  const calls = createShownCalls()
  const chats = new Map<string, ShownChat>()
  const readUpTo = slot('read up to', () => new Map<string, number>())

  const nameOf = (jid: string): string => network.account(jid)?.phone ?? bare(jid)
  const authorOf = ({ fromMe, from }: Stored): string => (fromMe ? account.phone : nameOf(from))
  const changed = (message: Stored | undefined): void => {
    if (message) feed.publish('message', account.phone, () => ({ Message: shown(message) ?? null }))
  }
  const byId = (id: string): Stored | undefined => messages.all().findLast((one) => one.id === id)

  /** People are addressed by number or by LID: both denote one chat. */
  function chatOf(jid: string): string {
    return network.account(jid)?.lid ?? jid
  }

  function count(message: Stored): void {
    const chat = chatOf(message.chat)
    const known = chats.get(chat) ?? { chat, unread: 0, seq: 0 }
    const isNew = !message.fromMe && !message.isShared && message.seq > (readUpTo.get(chat) ?? 0)
    chats.set(chat, { chat, seq: message.seq, unread: known.unread + (isNew ? 1 : 0) })
  }

  function shown(message: Stored): ShownMessage | undefined {
    const content = contentOf(message.raw)
    if (!content) return undefined
    const author = authorOf(message)
    const { reactions, edit, revoked, pinnedUntil = 0, answers, added, cancelledBy } = marks.of(message.id)
    // Others may have chosen the same id. In a group, admins may revoke as well.
    const isRevoked = revoked !== undefined && (revoked.asAdmin || revoked.by === author)
    const isEdited = edit?.by === author
    const { media, quoted, forwarded, album } = content
    const unreadable = message.media?.isUnreadable ? { Unreadable: true as const } : {}
    return {
      Seq: message.seq,
      ID: message.id,
      Chat: chatOf(message.chat),
      From: author,
      FromMe: message.fromMe,
      Time: message.timestamp,
      Kind: isRevoked ? 'revoked' : content.kind,
      Text: isRevoked ? '' : withOptions(isEdited ? edit.text : content.text, added),
      ...(media && !isRevoked
        ? { Media: { Mimetype: media.mimetype, Size: media.size, ...unreadable } }
        : {}),
      ...(quoted ? { Quoted: shownQuote(quoted) } : {}),
      ...(album && !isRevoked ? { Album: album } : {}),
      ...(forwarded && !isRevoked ? { Forwarded: forwarded } : {}),
      Reactions: [...reactions].map(([From, Text]) => ({ From, Text })),
      ...(answers ? { Answers: [...answers].map(([From, Chosen]) => ({ From, Chosen: [...Chosen] })) } : {}),
      ...(cancelledBy === author ? { Cancelled: true } : {}),
      Edited: isEdited && !isRevoked,
      Revoked: isRevoked,
      ...(pinnedUntil > network.now() && !isRevoked ? { Pinned: pinnedUntil } : {}),
      ...(message.expires ? { Expires: message.expires } : {}),
      ...(message.willNotDisappear ? { WillNotDisappear: true } : {}),
      ...(isViewOnce(message.raw) ? { ViewOnce: opened.has(message.id) ? 'opened' : 'closed' } : {}),
      Tick: message.fromMe ? marks.tickOf(message.id) : '',
    }
  }

  function tick(id: string, reached: Tick | undefined): void {
    if (reached && marks.tick(id, reached)) changed(byId(id))
  }

  function markRead(chat: string): void {
    const known = chats.get(chat)
    if (!known) return
    readUpTo.set(chat, known.seq)
    chats.set(chat, { ...known, unread: 0 })
    feed.publish('phone', account.phone)
  }

  function receiveReceipt(stanza: Stanza): void {
    const { id = '', from = '', participant = from, recipient = '', type = 'delivered' } = stanza.attrs
    if (type === 'read-self') return markRead(chatOf(recipient))
    if (nameOf(participant) === account.phone) return undefined
    const listed = children(child(stanza, 'list'), 'item').map(({ attrs }) => attrs['id'] ?? '')
    for (const one of [id, ...listed]) tick(one, TICKS[type])
    return undefined
  }

  const display: Display = {
    add(message) {
      if (message.refused) return undefined
      if (isLateEdit(wire, message, byId)) return undefined
      const target = marks.apply(authorOf(message), message)
      if (target) return changed(byId(target))
      if (!hasContent(message.raw)) return undefined
      count(message)
      return changed(message)
    },
    receive(stanza) {
      const { tag, attrs } = stanza
      if (tag === 'receipt') receiveReceipt(stanza)
      else if (tag === 'ack' && attrs['class'] === 'message' && attrs['error'])
        tick(attrs['id'] ?? '', 'refused')
      else if (tag === 'call' && calls.receive(stanza)) feed.publish('phone', account.phone)
      else if (tag === 'chatstate')
        feed.publish('typing', account.phone, () => ({
          Chat: chatOf(attrs['from'] ?? ''),
          From: nameOf(attrs['participant'] ?? attrs['from'] ?? ''),
          State:
            children(stanza)[0]?.attrs['media'] === 'audio' ? 'recording' : (children(stanza)[0]?.tag ?? ''),
        }))
    },
    acted(action, id) {
      calls.acted(action, id)
      if (action.Action === 'read' && !action.Id) markRead(chatOf(action.Chat ?? ''))
      feed.publish('phone', account.phone)
    },
    chats: () => [...chats.values()].sort((a, b) => b.seq - a.seq),
    page(chat, before, limit) {
      const wanted = chatOf(chat)
      const page: ShownMessage[] = []
      const all = messages.all()
      for (let at = all.length - 1; at >= 0 && page.length < limit; at -= 1) {
        const message = all[at]
        if (!message || message.seq >= before || chatOf(message.chat) !== wanted) continue
        const view = shown(message)
        if (view) page.unshift(view)
      }
      return page
    },
    calls: () => calls.all().map((call) => ({ ...call, chat: chatOf(call.chat) })),
  }
  for (const message of messages.all())
    if (!message.refused && !marks.apply(authorOf(message), message) && hasContent(message.raw))
      count(message)
  return display
}

function shownQuote({
  id,
  text,
  chat,
}: NonNullable<ShownContent['quoted']>): NonNullable<ShownMessage['Quoted']> {
  return { ID: id, Text: text, ...(chat ? { Chat: chat } : {}) }
}

function withOptions(text: string, added: readonly string[] = []): string {
  return [text, ...added.map((name) => `○ ${name}`)].join('\n')
}

/** AB 2983, `message_edit_window_duration_seconds`. */
const WINDOW_SECONDS = 1200

/** Whether it edits a message that is too old for it, by the times at which both were written; polls and events may always be edited. */
function isLateEdit(
  { proto }: GatewayServices['wire'],
  { raw, timestamp }: Pick<Stored, 'raw' | 'timestamp'>,
  byId: (id: string) => Stored | undefined,
): boolean {
  const { key, type } = unwrap(raw).protocolMessage ?? {}
  const edited = type === proto.Message.ProtocolMessage.Type.MESSAGE_EDIT ? byId(key?.id ?? '') : undefined
  if (!edited || pollIn(edited.raw) || unwrap(edited.raw).eventMessage) return false
  return timestamp >= edited.timestamp + WINDOW_SECONDS
}
