import { Jid } from 'wamux/messaging'
import type { LogEvent, Row, Vault, Write } from 'wamux/plugin'
import { type ChatRow, readChats, toChatRow, toNameRow } from './chat-row.ts'
import { type Entry, entryOf, idIndex } from './entry.ts'
import { type LogDeps, placeShared } from './shared.ts'

/** The recorded events. */
export const TYPES = [
  ...['Message', 'UndecryptableMessage', 'ReadReceipt', 'MarkChatAsRead', 'DeleteChat'],
  ...['GroupInfo', 'JoinedGroup', 'HistorySync', 'NumberOwner'],
]

/**
 * The rows of a batch of lines: the positions of each chat's messages in the log, and up to which they were read. Recording
 * a line again changes nothing.
 */
export async function record(lines: readonly LogEvent[], deps: LogDeps): Promise<Write[]> {
  const bySession = new Map<string, LogEvent[]>()
  for (const line of lines) {
    const own = bySession.get(line.session)
    if (own) own.push(line)
    else bySession.set(line.session, [line])
  }
  const writes = await Promise.all([...bySession].map(([session, own]) => recordOf(session, own, deps)))
  return writes.flat()
}

async function recordOf(session: string, lines: readonly LogEvent[], deps: LogDeps): Promise<Write[]> {
  const { db, vault, events } = deps
  const lanesOf = (line: LogEvent): string[] => chatsChanged(line).map((jid) => events.lane(session, jid))
  const lanes = lines.flatMap((line) => [line.lane, ...lanesOf(line)])
  const chats = await readChats(deps, session, lanes)
  // Updates each column separately: a request may mark a chat as read meanwhile.
  const changed = { last: new Set<string>(), read: new Set<string>(), deleted: new Set<string>() }
  const seqs = await seqsOf(session, lines.flatMap(idsRead), deps)
  const messages: Row[] = []
  const names = new Map<string, string>()
  function advance(lane: string, field: 'read' | 'deleted', seq: number): void {
    const chat = chats.get(lane)
    if (!chat || chat[field] >= seq) return
    chat[field] = seq
    changed[field].add(lane)
  }
  for (const line of lines) {
    const { seq, lane } = line
    const entry = entryOf(line)
    if (entry) {
      const row = toMessageRow(vault, line, entry)
      messages.push(row)
      if (entry.kind !== 'message' && entry.kind !== 'undecryptable') continue
      seqs.set(String(row['target']), seq)
      chats.set(lane, withMessage(chats.get(lane), line, entry))
      changed.last.add(lane)
      // Answering a chat implies reading it.
      if (entry.message.isFromMe) advance(lane, 'read', seq)
      continue
    }
    const former = line.type === 'NumberOwner' ? chats.get(lane) : undefined
    if (former) {
      chats.set(lane, withoutNumber(former))
      changed.last.add(lane)
    }
    for (const id of idsRead(line)) advance(lane, 'read', seqs.get(idIndex(vault, session, id)) ?? 0)
    for (const one of lanesOf(line)) {
      advance(one, 'read', seq)
      if (line.type === 'DeleteChat') advance(one, 'deleted', seq)
    }
    for (const [jid, name] of namesIn(line)) names.set(events.lane(session, jid), name)
  }
  const shared = await placeShared(session, lines, messages, deps)
  const sharedChats = await readChats(deps, session, [...shared.newest.keys()])
  for (const [lane, { line, entry }] of shared.newest) {
    chats.set(lane, withMessage(chats.get(lane) ?? sharedChats.get(lane), line, entry))
    changed.last.add(lane)
  }
  const rows = (lanes: ReadonlySet<string>, toRow: (chat: ChatRow, lane: string) => Row): Row[] =>
    [...chats].flatMap(([lane, chat]) => (lanes.has(lane) ? [toRow(chat, lane)] : []))
  return [
    db.put('messages', ['session', 'seq'], messages),
    db.put('shared', ['session', 'seq', 'item'], shared.rows),
    db.put(
      'chats',
      KEY,
      rows(changed.last, (chat, lane) => toChatRow(vault, session, lane, chat)),
    ),
    db.update(
      'chats',
      KEY,
      rows(changed.read, ({ read }, chat) => ({ session, chat, read_seq: read })),
    ),
    db.update(
      'chats',
      KEY,
      rows(changed.deleted, ({ deleted }, chat) => ({ session, chat, deleted_seq: deleted })),
    ),
    db.put(
      'names',
      KEY,
      [...names].map(([lane, name]) => toNameRow(vault, session, lane, name)),
    ),
  ].filter(({ rows }) => rows.length > 0)
}

const KEY = ['session', 'chat']

function toMessageRow(
  vault: Vault,
  { session, seq, lane }: LogEvent,
  { kind, message, ...entry }: Entry,
): Row {
  return {
    session,
    seq,
    chat: lane,
    kind,
    target: idIndex(vault, session, entry.target),
    incoming: !message.isFromMe,
  }
}

function withMessage(known: ChatRow | undefined, { seq }: LogEvent, { message }: Entry): ChatRow {
  const { read = 0, deleted = 0, last = 0 } = known ?? {}
  const { jid, phone, lid, type } = message.chat
  return {
    // A number or LID known earlier may be absent here.
    info: { jid, phone: phone || known?.info.phone || '', lid: lid || known?.info.lid || '', type },
    last: Math.max(last, seq),
    read,
    deleted,
  }
}

/** The chat of a person whose number has a new owner. */
function withoutNumber(chat: ChatRow): ChatRow {
  const { lid } = chat.info
  return { ...chat, info: { ...chat.info, jid: lid || chat.info.jid, phone: '' } }
}

const BY_SELF: ReadonlySet<unknown> = new Set(['ReadSelf', 'PlayedSelf'])

/** Ids of messages read or played on another device of the account. */
function idsRead({ type, json = '', body }: LogEvent): string[] {
  // Most receipts come from others and need not be parsed.
  if (type !== 'ReadReceipt' || !json.includes('Self"') || !BY_SELF.has(body['state'])) return []
  return (body['event'] as { MessageIDs: string[] }).MessageIDs
}

/** A chat that was marked as read or deleted, in both forms. */
function chatsChanged({ type, body }: LogEvent): string[] {
  if (type !== 'MarkChatAsRead' && type !== 'DeleteChat') return []
  const { JID, JIDAlt, Action } = body['event'] as { JID: string; JIDAlt: string; Action: { read?: boolean } }
  return type === 'DeleteChat' || Action.read ? [JID, JIDAlt].filter(Boolean) : []
}

/** The seqs of messages by the index of their ids. */
async function seqsOf(
  session: string,
  ids: readonly string[],
  { db, vault }: LogDeps,
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows: Row[] = await db
    .read<Row>(db.table('messages'))
    .where({ session, incoming: true, kind: 'message' })
    .whereIn(
      'target',
      [...new Set(ids)].map((id) => idIndex(vault, session, id)),
    )
  return new Map(rows.map(({ target, seq }) => [String(target), Number(seq)]))
}

/** The subjects of groups in an event, by JID. Messages name people, and groups by their JID only. */
function namesIn({ type, body }: Pick<LogEvent, 'type' | 'body'>): [jid: string, name: string][] {
  const event = body['event'] as Record<string, unknown> | undefined
  if (type === 'JoinedGroup') return named(event?.['JID'], event?.['Name'])
  if (type === 'GroupInfo') return named(event?.['JID'], (event?.['Name'] as { Name?: string } | null)?.Name)
  if (type !== 'HistorySync') return []
  const { conversations = [] } = (event?.['Data'] ?? {}) as {
    conversations?: { ID: string; name?: string }[]
  }
  return conversations.flatMap(({ ID, name }) => (Jid.isGroup(ID) ? named(ID, name) : []))
}

function named(jid: unknown, name: unknown): [string, string][] {
  return typeof jid === 'string' && typeof name === 'string' && name ? [[jid, name]] : []
}
