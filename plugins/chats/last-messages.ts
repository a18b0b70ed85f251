import type { proto, WAMessage, WAMessageKey } from '@whiskeysockets/baileys'
import { Jid } from 'wamux/messaging'
import type { LiveSession, PluginDb, Recording, Row, Vault } from 'wamux/plugin'
import type { ChatActivity } from './activity.ts'

/** The newest message of each chat: other devices apply a chat's change to all messages up to it. */
export interface LastMessages {
  record(session: string, message: WAMessage): Recording
  /** Stores messages of the history if no newer message is known. */
  recordHistory(session: string, messages: readonly WAMessage[]): Recording
  /** The range of a change of the chat: up to its last message, or up to now if none is known. */
  range(session: LiveSession, chat: string): Promise<Range>
  /** The last message of the chat; undefined if none is known. */
  last(session: LiveSession, chat: string): Promise<Last | undefined>
  /** The last message, for marking it as read; undefined if there is none or it is an own message. */
  unread(session: LiveSession, chat: string): Promise<ReadMessage | undefined>
}

type ReadMessage = Parameters<LiveSession['socket']['markRead']>[0][number]

type Range = { key: WAMessageKey; messageTimestamp: number }[] | proto.SyncActionValue.ISyncActionMessageRange

export interface Last {
  chat: string
  id: string
  fromMe: boolean
  participant: string
  /** Seconds since 1970. */
  time: number
  /** When it was stored, milliseconds since 1970; orders messages of the same second. */
  storedAt?: number
}

const KEY = ['session', 'chat'] as const
/** Message types that change a message or a chat and are not counted as its messages. */
const SILENT = ['protocolMessage', 'reactionMessage', 'encReactionMessage', 'pollUpdateMessage'] as const

interface Deps {
  db: PluginDb
  vault: Vault
  activity: ChatActivity
}

export function createLastMessages({ db, vault, activity }: Deps): LastMessages {
  const indexOf = (session: string, chat: string): string => vault.index(session, 'chats_last/chat', chat)
  const rowOf = (session: string, { time, ...key }: Last): Row => {
    const chat = indexOf(session, key.chat)
    return { session, chat, key: vault.seal(session, `chats_last/${chat}`, JSON.stringify(key)), time }
  }
  const toLast = ({ session, chat, key, time }: Row): Last => {
    const text = vault.open(String(session), `chats_last/${chat}`, key as Buffer).toString()
    return { ...(JSON.parse(text) as Omit<Last, 'time'>), time: Number(time) }
  }

  /** A 1:1 chat may be stored by phone number or by LID. */
  async function find(session: LiveSession, chat: string): Promise<Last | undefined> {
    const alt = Jid.isPerson(chat) ? await session.socket.altJid(chat) : ''
    const rows = await db
      .read<Row>(db.table('last'))
      .where({ session: session.id })
      .whereIn(
        'chat',
        [chat, alt].map((one) => indexOf(session.id, one)),
      )
    const [newest] = rows.map(toLast).sort((a, b) => b.time - a.time || (b.storedAt ?? 0) - (a.storedAt ?? 0))
    return newest
  }

  return {
    record(session, message) {
      const last = lastOf(message)
      if (!last) return {}
      activity.note(session, last.time)
      return { writes: [db.put('last', KEY, [rowOf(session, last)])] }
    },
    recordHistory(session, messages) {
      const newest = new Map<string, Last>()
      for (const message of messages) {
        const last = lastOf(message)
        if (last && last.time > (newest.get(last.chat)?.time ?? 0)) newest.set(last.chat, last)
      }
      for (const { time } of newest.values()) activity.note(session, time)
      const rows = [...newest.values()].map((last) => rowOf(session, last))
      return rows.length > 0 ? { writes: [db.add('last', KEY, rows)] } : {}
    },
    async range(session, chat) {
      const last = await find(session, chat)
      if (!last) return { lastMessageTimestamp: Math.floor(Date.now() / 1000) }
      return [{ key: { ...keyOf(last), remoteJid: chat }, messageTimestamp: last.time }]
    },
    last: find,
    async unread(session, chat) {
      const last = await find(session, chat)
      if (!last || last.fromMe) return undefined
      return { chat: last.chat, id: last.id, participant: last.participant, isStored: true }
    },
  }
}

function keyOf({ chat, id, fromMe, participant }: Last): WAMessageKey {
  return { remoteJid: chat, id, fromMe, ...(participant ? { participant } : {}) }
}

function lastOf({ key, message, messageTimestamp }: WAMessage): Last | undefined {
  const chat = key.remoteJid ?? ''
  const isChat = Jid.isPerson(chat) || Jid.isGroup(chat)
  const time = Number(messageTimestamp ?? 0)
  if (!isChat || !key.id || !time || SILENT.some((name) => message?.[name])) return undefined
  const sender = { fromMe: key.fromMe === true, participant: key.participant ?? '' }
  return { chat, id: key.id, ...sender, time, storedAt: Date.now() }
}
