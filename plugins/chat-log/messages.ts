import {
  createPage,
  type Events,
  type LogEvent,
  type PluginDb,
  type Row,
  type Vault,
  type Viewer,
} from 'wamux/plugin'
import { readChats } from './chat-row.ts'
import { type Entry, entryOf, isAllowed, isLate, isSameAuthor } from './entry.ts'
import { positionOf, seqBefore, sharedEntry } from './shared.ts'
import type { Shown } from './view.ts'

/** Reads messages back from the log, with their edits, deletions and reactions. */
export interface Messages {
  /** Newest first, by position. @returns `next`: pass it as the next `before`; 0 at the end. */
  page<I>(query: MessageQuery, toItem: (shown: Shown) => I): Promise<{ items: readonly I[]; next: number }>
  /** The messages at these seqs that the viewer sees, by seq. */
  at(query: Pick<MessageQuery, 'session' | 'viewer'>, seqs: readonly number[]): Promise<Map<number, Shown>>
}

export interface MessageQuery {
  readonly session: string
  readonly viewer: Viewer
  /** The lanes of one chat; all chats when absent. */
  readonly lanes?: readonly string[]
  readonly before: number
  readonly limit: number
  /** Filter of messages; rejected ones cost as much as accepted ones. */
  matches?(shown: Shown): boolean
  /** Most messages to read. */
  readonly most: number
}

interface Deps {
  db: PluginDb
  vault: Vault
  events: Pick<Events, 'lines'>
}

/** Messages read at once, to be searched or to be shown. */
const PAGE = { searched: 200, shown: 50 }
/** Most edits, deletions and reactions read for one page, the newest first. */
const MAX_CHANGES = 2_000

export function createMessages({ db, vault, events }: Deps): Messages {
  const rowsOf = (session: string) => db.read<Row>(db.table('messages')).where({ session })
  const sharedOf = (session: string) => db.read<Row>(db.table('shared')).where({ session })

  /** Messages before a position, in the log and shared, newest first. */
  async function rowsBefore(
    { session, lanes }: Pick<MessageQuery, 'session' | 'lanes'>,
    before: number,
    size: number,
  ): Promise<Row[]> {
    const logged = rowsOf(session)
      .whereIn('kind', ['message', 'undecryptable'])
      .where('seq', '<', seqBefore(before))
      .orderBy('seq', 'desc')
      .limit(size)
    const shared = sharedOf(session).where('position', '<', before).orderBy('position', 'desc').limit(size)
    if (lanes) for (const query of [logged, shared]) query.whereIn('chat', [...lanes])
    const found = await Promise.all([logged, shared])
    return found
      .flat()
      .sort((a, b) => placeOf(b) - placeOf(a))
      .slice(0, size)
  }

  /** Lines of changes by target, and of the later deliveries of undecryptable messages. */
  async function changesOf(session: string, rows: readonly Row[]): Promise<Map<string, LogEvent[]>> {
    const shown = new Set(rows.filter(({ item }) => item === undefined).map(({ seq }) => Number(seq)))
    const found: Row[] = await rowsOf(session)
      .whereIn('target', [...new Set(rows.map(({ target }) => String(target)))])
      .orderBy('seq', 'desc')
      .limit(MAX_CHANGES)
    const changes = found.filter(({ seq }) => !shown.has(Number(seq)))
    const targets = new Map(changes.map(({ seq, target }) => [Number(seq), String(target)]))
    const byTarget = new Map<string, LogEvent[]>()
    for (const line of await events.lines([...targets.keys()])) {
      const target = targets.get(line.seq) ?? ''
      byTarget.set(target, [...(byTarget.get(target) ?? []), line])
    }
    return byTarget
  }

  /** The newest deletion of each chat as a whole. */
  async function deletionsOf(session: string, rows: readonly Row[]): Promise<Map<string, LogEvent>> {
    const chats = await readChats(
      { db, vault },
      session,
      rows.map(({ chat }) => String(chat)),
    )
    const deleted = [...chats].filter(([, chat]) => chat.deleted > 0)
    const lines = new Map(
      (await events.lines(deleted.map(([, chat]) => chat.deleted))).map((line) => [line.seq, line]),
    )
    return new Map(
      deleted.flatMap(([lane, chat]) => {
        const line = lines.get(chat.deleted)
        return line ? [[lane, line] as const] : []
      }),
    )
  }

  /** Newest first, without those that retention dropped or the viewer does not see. */
  async function show(
    session: string,
    viewer: Viewer,
    rows: readonly Row[],
  ): Promise<[shown: Shown, position: number][]> {
    if (rows.length === 0) return []
    const lines = new Map(
      (await events.lines(rows.map(({ seq }) => Number(seq)))).map((line) => [line.seq, line]),
    )
    const changes = await changesOf(session, rows)
    const deletions = await deletionsOf(session, rows)
    const shown: [Shown, number][] = []
    for (const row of rows) {
      const line = lines.get(Number(row['seq']))
      const isShared = row['item'] !== undefined
      const entry = line && (isShared ? sharedEntry(line, Number(row['item'])) : entryOf(line))
      if (!line || !entry) continue
      // A line with shared messages is of no chat.
      const isSeen = isShared ? viewer.seesChat(session, entry.message.chat.jid) : viewer.seesEvent(line)
      if (!(await isSeen)) continue
      const own = (changes.get(String(row['target'])) ?? []).filter(({ lane }) => lane === row['chat'])
      const one = merge(line, entry, own)
      const { seq = 0, time = '' } = deletions.get(String(row['chat'])) ?? {}
      if (one) shown.push([line.seq < seq ? { ...one, deleted: one.deleted || time } : one, placeOf(row)])
    }
    return shown
  }

  return {
    async page<I>(
      { session, viewer, lanes, before, limit, most, matches }: MessageQuery,
      toItem: (shown: Shown) => I,
    ) {
      const page = createPage<I, number>(before, limit)
      const { items } = page
      let next = before
      for (let read = 0; read < most; ) {
        const wanted = matches ? PAGE.searched : Math.min(PAGE.shown, limit - items.length)
        const size = Math.min(wanted, most - read)
        const rows = await rowsBefore({ session, ...(lanes ? { lanes } : {}) }, next, size)
        for (const [one, position] of await show(session, viewer, rows)) {
          if (matches && !matches(one)) continue
          if (!page.add(position, toItem(one)) || items.length === limit) return { items, next: page.cursor }
        }
        if (rows.length < size) return { items, next: 0 }
        next = placeOf(rows.at(-1) ?? {})
        read += rows.length
      }
      return { items, next }
    },
    async at({ session, viewer }, seqs) {
      const rows: Row[] = await rowsOf(session).whereIn('seq', [...seqs])
      const found = new Set(rows.map(({ seq }) => Number(seq)))
      const others = seqs.filter((seq) => !found.has(seq))
      // The last message of a line is the newest one.
      const shared: Row[] = others.length > 0 ? await sharedOf(session).whereIn('seq', others) : []
      const newest = new Map<unknown, Row>()
      for (const row of shared)
        if (placeOf(row) > placeOf(newest.get(row['seq']) ?? {})) newest.set(row['seq'], row)
      const all = await show(session, viewer, [...rows, ...newest.values()])
      return new Map(all.map(([one]) => [one.line.seq, one]))
    },
  }
}

/** The position of a message; 0 for none. */
function placeOf({ seq, position }: Row): number {
  if (seq === undefined) return 0
  return position === undefined ? positionOf(Number(seq)) : Number(position)
}

/**
 * Applies changes to a message, leaving out those that their authors may not make, or make too late.
 *
 * @param changes oldest first.
 * @returns undefined for an undecryptable message that was delivered again later.
 */
function merge(line: LogEvent, { kind, message }: Entry, changes: readonly LogEvent[]): Shown | undefined {
  let [text, edited, deleted] = [message.text, '', '']
  const reactions = new Map<string, Shown['reactions'][number]>()
  for (const change of changes) {
    const entry = entryOf(change)
    if (!entry || !isAllowed(entry, change, message) || isLate(entry, change, message)) continue
    const { message: changed } = entry
    if (entry.kind === 'message' && kind === 'undecryptable' && isSameAuthor(changed, message))
      return undefined
    if (entry.kind === 'edit') [text, edited] = [changed.text, change.time]
    if (entry.kind === 'revoke') deleted = change.time
    if (entry.kind !== 'reaction') continue
    const { isFromMe, from, reaction } = changed
    const person = isFromMe ? 'me' : from.lid || from.jid
    reactions.delete(person)
    if (reaction?.emoji) reactions.set(person, { Emoji: reaction.emoji, From: from, IsFromMe: isFromMe })
  }
  const shown = edited ? { ...message, text, isEdited: true } : message
  return { line, message: shown, edited, deleted, reactions: [...reactions.values()] }
}
