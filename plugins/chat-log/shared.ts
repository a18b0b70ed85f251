import type { Events, LogEvent, PluginDb, Row, Vault } from 'wamux/plugin'
import { type Entry, entryOf, idIndex, type LoggedMessage } from './entry.ts'

export interface LogDeps {
  db: PluginDb
  vault: Vault
  events: Pick<Events, 'lane' | 'lines'>
}

/** Rows of shared messages, and the newest message of each chat for which nothing newer is in the log, by lane. */
export interface Placed {
  readonly rows: Row[]
  readonly newest: ReadonlyMap<string, { line: LogEvent; entry: Entry }>
}

/** Positions for each seq: the line itself has the last one, messages before it the ones below. */
const SLOTS = 1024
/** Most lines of a chat among which a message is placed: a shared history is two weeks old at most. */
const MAX_LINES = 500

/** The position of a line of the log among all messages. */
export const positionOf = (seq: number): number => seq * SLOTS + SLOTS - 1

/** The seqs of lines before a position are below this. */
export const seqBefore = (position: number): number => Math.ceil((position - SLOTS + 1) / SLOTS)

/** The shared message in a line. */
export function sharedEntry({ body }: Pick<LogEvent, 'body'>, item: number): Entry | undefined {
  const message = (body['messages'] as LoggedMessage[] | undefined)?.[item]
  const entry = message && entryOf({ type: 'Message', body: { event: {}, message } })
  return entry?.kind === 'message' ? entry : undefined
}

/**
 * Messages of a group that a member has shared with the account when it joined. They are in one line of the log, which is younger
 * than they are: each has a position among the lines of its chat, by its time.
 *
 * @param lines of one session, in order.
 * @param written the rows of messages among these lines.
 */
export async function placeShared(
  session: string,
  lines: readonly LogEvent[],
  written: readonly Row[],
  deps: LogDeps,
): Promise<Placed> {
  const { db, vault, events } = deps
  const byChat = new Map<string, { line: LogEvent; item: number; entry: Entry }[]>()
  for (const line of lines) {
    if (line.type !== 'HistorySync' || !line.json?.includes('"messages"')) continue
    for (const [item] of ((line.body['messages'] ?? []) as unknown[]).entries()) {
      const entry = sharedEntry(line, item)
      if (!entry) continue
      add(byChat, events.lane(session, entry.message.chat.jid), { line, item, entry })
    }
  }
  const rows: Row[] = []
  const newest = new Map<string, { line: LogEvent; entry: Entry }>()
  for (const [chat, found] of byChat) {
    const logged = await loggedOf(session, chat, lines, written, deps)
    const known: Row[] = await db.read<Row>(db.table('shared')).where({ session, chat })
    const places = new Map<number, Row[]>()
    for (const row of known) add(places, Math.floor(Number(row['position']) / SLOTS), row)
    const taken = new Set([...logged, ...known].map(({ target }) => String(target)))
    const order = new Map(found.map(({ entry }, at) => [idIndex(vault, session, entry.target), at]))
    const changed = new Set<number>()
    for (const [at, { line, item, entry }] of found.entries()) {
      const target = idIndex(vault, session, entry.target)
      if (taken.has(target)) continue
      taken.add(target)
      const time = Date.parse(entry.message.time)
      // Times are in seconds: what is in the same one came after the account had joined.
      const later = logged.filter((one) => one.seq < line.seq && one.time >= time).map(({ seq }) => seq)
      const isAfter = (row: Row): boolean =>
        Number(row['time']) > time ||
        (Number(row['time']) === time && (order.get(String(row['target'])) ?? -1) > at)
      const shared = [...places].filter(([, rows]) => rows.some(isAfter)).map(([place]) => place)
      const place = Math.min(line.seq, ...later, ...shared)
      add(places, place, { session, seq: line.seq, item, chat, target, time, position: 0 })
      changed.add(place)
      if (later.length === 0 && shared.length === 0) newest.set(chat, { line, entry })
    }
    for (const place of changed) rows.push(...ranked(place, places.get(place) ?? [], order))
  }
  return { rows, newest }
}

/** Messages of a chat that are in the log, the newest ones, with their times. */
async function loggedOf(
  session: string,
  chat: string,
  lines: readonly LogEvent[],
  written: readonly Row[],
  { db, events }: LogDeps,
): Promise<{ seq: number; target: string; time: number }[]> {
  const stored: Row[] = await db
    .read<Row>(db.table('messages'))
    .where({ session, chat, kind: 'message' })
    .orderBy('seq', 'desc')
    .limit(MAX_LINES)
  const own = written.filter((row) => row['chat'] === chat && row['kind'] === 'message')
  const targets = new Map([...stored, ...own].map(({ seq, target }) => [Number(seq), String(target)]))
  const times = new Map(
    [...(await events.lines(stored.map(({ seq }) => Number(seq)))), ...lines].map((line) => [
      line.seq,
      timeOf(line),
    ]),
  )
  return [...targets].map(([seq, target]) => ({ seq, target, time: times.get(seq) ?? 0 }))
}

function timeOf({ body }: LogEvent): number {
  return Date.parse((body['message'] as LoggedMessage | undefined)?.time ?? '') || 0
}

/**
 * Messages before the same line, in the order of their times, or else of the last history; the newest, should there be more than
 * slots.
 */
function ranked(place: number, rows: readonly Row[], order: ReadonlyMap<string, number>): Row[] {
  const orderOf = ({ target }: Row): number => order.get(String(target)) ?? -1
  const sorted = [...rows].sort((a, b) => Number(a['time']) - Number(b['time']) || orderOf(a) - orderOf(b))
  return sorted.slice(1 - SLOTS).map((row, rank) => ({ ...row, position: place * SLOTS + rank }))
}

function add<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}
