import { Jid } from 'wamux/messaging'
import type { Events, GatewayServices, PluginDb, Row, Vault, Viewer } from 'wamux/plugin'
import { type ChatRow, readNames, toChat } from './chat-row.ts'
import type { Messages } from './messages.ts'
import type { Shown } from './view.ts'

/** A chat as listed. */
export interface ListedChat extends Pick<ChatRow, 'info'> {
  readonly name: string
  readonly unread: number
  /** Seconds; 0 for none. */
  readonly timer: number
  readonly last: Shown | undefined
}

/** The chats with messages in the log, sorted by their newest message, the latest first. */
export interface Chats {
  /** @returns `next`: pass it as the next `before`; 0 at the end. */
  page(
    session: string,
    viewer: Viewer,
    before: number,
    limit: number,
  ): Promise<{ chats: ListedChat[]; next: number }>
}

interface Deps {
  db: PluginDb
  vault: Vault
  events: Pick<Events, 'lane'>
  messages: Messages
  contacts?: GatewayServices['contacts'] | undefined
  chatTimers?: GatewayServices['chatTimers'] | undefined
}

/** Most chats read for one page: a key limited to some chats sees few of them. */
const MAX_READ = 1_000
const MAX_UNREAD = 1_000

function formsOf({ jid, lid, phone }: ChatRow['info']): string[] {
  return [...new Set([jid, lid, phone ? Jid.ofPhone(phone) : ''])].filter(Boolean)
}

export function createChats({ db, vault, messages, contacts, chatTimers }: Deps): Chats {
  /** Unread messages of each lane, counted on the index up to a limit. */
  async function unreadOf(
    session: string,
    chats: readonly [string, ChatRow][],
  ): Promise<Map<string, number>> {
    if (chats.length === 0) return new Map()
    const counts = chats.map(([chat, { read }]) => {
      const unread = db
        .read(db.table('messages'))
        .where({ session, chat, kind: 'message', incoming: true })
        .where('seq', '>', read)
        .limit(MAX_UNREAD)
        .select('chat')
      return db.read.from(unread.as('unread')).groupBy('chat').select('chat').count({ number: '*' })
    })
    const rows: Row[] = await db.read.unionAll(counts)
    return new Map(rows.map(({ chat, number }) => [String(chat), Number(number)]))
  }

  /** The name that the account has saved, or else the person's own; by JID and LID. */
  async function peopleOf(session: string, chats: readonly ChatRow[]): Promise<Map<string, string>> {
    const jids = chats.filter(({ info }) => Jid.isPerson(info.jid)).flatMap(({ info }) => formsOf(info))
    const found = (await contacts?.byJids(session, [...new Set(jids)])) ?? []
    return new Map(
      found.flatMap(({ jid, lid, fullName, firstName, businessName, pushName, username }) => {
        const name = fullName || firstName || businessName || pushName || username
        return [jid, lid].filter(Boolean).map((one) => [one, name] as const)
      }),
    )
  }

  return {
    async page(session, viewer, before, limit) {
      const found: [string, ChatRow, Shown | undefined][] = []
      let next = before
      for (let read = 0; read < MAX_READ && found.length < limit; read += limit) {
        const rows: Row[] = await db
          .read<Row>(db.table('chats'))
          .where({ session })
          .where('last_seq', '<', next)
          .orderBy('last_seq', 'desc')
          .limit(limit)
        const chats = rows.map((row): [string, ChatRow] => [String(row['chat']), toChat(vault, row)])
        const shown = await messages.at(
          { session, viewer },
          chats.map(([, { last }]) => last),
        )
        for (const [lane, chat] of chats) {
          next = chat.last
          // A chat's messages show whether a limited viewer sees it.
          const last = shown.get(chat.last)
          if (last) found.push([lane, chat, last])
          if (found.length === limit) break
        }
        if (rows.length < limit) next = 0
        if (next === 0) break
      }
      const listed = found.map(([lane, chat]): [string, ChatRow] => [lane, chat])
      const unread = await unreadOf(session, listed)
      const subjects = await readNames(
        { db, vault },
        session,
        listed.map(([lane]) => lane),
      )
      const people = await peopleOf(
        session,
        listed.map(([, chat]) => chat),
      )
      const timers = await chatTimers?.of(
        session,
        listed.map(([, { info }]) => formsOf(info)),
      )
      const nameOf = (lane: string, { jid, lid, phone }: ChatRow['info']): string =>
        subjects.get(lane) ?? people.get(jid) ?? people.get(lid) ?? people.get(Jid.ofPhone(phone)) ?? ''
      return {
        next,
        chats: found.map(([lane, { info }, last], i) => {
          const timer = timers?.[i] ?? 0
          return { info, name: nameOf(lane, info), unread: unread.get(lane) ?? 0, timer, last }
        }),
      }
    },
  }
}
