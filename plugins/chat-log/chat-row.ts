import type { PluginDb, Row, Vault } from 'wamux/plugin'
import type { LoggedMessage } from './entry.ts'

/** A chat with messages in the log. */
export interface ChatRow {
  readonly info: Pick<LoggedMessage['chat'], 'jid' | 'phone' | 'lid' | 'type'>
  /** Seq of the newest message. */
  last: number
  /** Seqs up to which messages were read, and were deleted with the chat. */
  read: number
  deleted: number
}

interface Deps {
  db: PluginDb
  vault: Vault
}

/** By lane; lanes without messages are missing. */
export async function readChats(
  { db, vault }: Deps,
  session: string,
  lanes: readonly string[],
): Promise<Map<string, ChatRow>> {
  const rows: Row[] = await db
    .read<Row>(db.table('chats'))
    .where({ session })
    .whereIn('chat', [...new Set(lanes)])
  return new Map(rows.map((row) => [String(row['chat']), toChat(vault, row)]))
}

export function toChat(vault: Vault, { session, chat, info, ...row }: Row): ChatRow {
  const text = vault.open(String(session), placeOf('chats', String(chat)), info as Buffer).toString()
  return {
    info: JSON.parse(text),
    last: Number(row['last_seq']),
    read: Number(row['read_seq']),
    deleted: Number(row['deleted_seq']),
  }
}

export function toChatRow(vault: Vault, session: string, chat: string, { info, last }: ChatRow): Row {
  return {
    session,
    chat,
    info: vault.seal(session, placeOf('chats', chat), JSON.stringify(info)),
    last_seq: last,
  }
}

export function toNameRow(vault: Vault, session: string, chat: string, name: string): Row {
  return { session, chat, name: vault.seal(session, placeOf('names', chat), name) }
}

/** Subjects of groups by lane. */
export async function readNames(
  { db, vault }: Deps,
  session: string,
  lanes: readonly string[],
): Promise<Map<string, string>> {
  const rows: Row[] = await db
    .read<Row>(db.table('names'))
    .where({ session })
    .whereIn('chat', [...lanes])
  return new Map(
    rows.map(({ chat, name }) => [
      String(chat),
      vault.open(session, placeOf('names', String(chat)), name as Buffer).toString(),
    ]),
  )
}

const placeOf = (table: string, chat: string): string => `chat_log_${table}/${chat}`
