import { Jid } from 'wamux/messaging'
import type { PluginDb, Row, Vault, Write } from 'wamux/plugin'
import type { ChatTimer } from '../protocol/chat-timer.ts'
import type { Codec } from './codec.ts'
import { createSeals } from './seals.ts'

/**
 * The disappearing timers of a session's chats. A person's chat is found by both forms of the JID and stored under the LID,
 * once that is known.
 */
export interface ChatTimers {
  /**
   * Loads stored timers; if the session has more chats than fit in memory, also the timers of the given chat. Cheap afterwards.
   */
  load(jids: readonly string[]): Promise<void>
  /** The newest timer of the chat's loaded forms; undefined for an unknown chat. */
  of(jids: readonly string[]): ChatTimer | undefined
  /**
   * Takes a timer unless an older one, and returns its row if it has changed; commit the row with the source of the timer.
   * Call it in the tick in which the row is queued: rows are written in the order of the calls.
   */
  learn(jids: readonly string[], timer: ChatTimer): Row[]
  /** Notes that the chat exists. */
  note(jids: readonly string[]): Row[]
  write(rows: readonly Row[]): Write
}

/** Pseudo-chats: the account's timer for new chats, and the mark that all chats older than the link are known. */
export const DEFAULT = 'default'
export const COMPLETE = 'complete'

const KEY = ['session', 'chat'] as const
const MAX_CHATS = 5_000
const NONE: ChatTimer = { seconds: 0, setAt: 0, trigger: 0 }

const PLACE = 'timers/chat'

export function createChatTimers(db: PluginDb, codec: Codec, session: string): ChatTimers {
  const table = db.table('timers')
  /** `false`: there is no row. */
  const cache = createRecent<ChatTimer | false>(MAX_CHATS)
  let isComplete = false
  let first: Promise<void> | undefined

  async function loadAll(): Promise<void> {
    const rows = await db.read<Row>(table).where({ session }).orderBy('set_at', 'desc').limit(MAX_CHATS)
    for (const row of rows) remember(row)
    isComplete = rows.length < MAX_CHATS
  }

  /** A timer learnt in the meantime is newer. */
  function remember(row: Row): void {
    const chat = String(row['chat'])
    if (!cache.get(chat)) cache.set(chat, toTimer(row))
  }

  const indexOf = (jid: string): string => codec.index(PLACE, jid)

  function put(jids: readonly string[], timer: ChatTimer): Row[] {
    const chat = indexOf(jids.find(Jid.isLid) ?? jids[0] ?? '')
    // Evicted chats have rows that are not in memory.
    if (cache.size >= MAX_CHATS) isComplete = false
    cache.set(chat, timer)
    const { seconds, setAt: set_at, trigger } = timer
    return [{ session, chat, seconds, set_at, trigger }]
  }

  const chatTimers: ChatTimers = {
    async load(jids) {
      first ??= loadAll()
      // The next call retries.
      first.catch(() => {
        first = undefined
      })
      await first
      if (isComplete) return
      const missing = jids.map(indexOf).filter((chat) => cache.get(chat) === undefined)
      if (missing.length === 0) return
      for (const row of await db.read<Row>(table).where({ session }).whereIn('chat', missing)) remember(row)
      for (const chat of missing) if (cache.get(chat) === undefined) cache.set(chat, false)
    },
    of: (jids) => newest(jids.map((jid) => cache.get(indexOf(jid)))),
    learn(jids, timer) {
      const known = chatTimers.of(jids)
      if (known && known.setAt > timer.setAt) return []
      const isSame = known?.seconds === timer.seconds && known.setAt === timer.setAt
      return isSame && known.trigger === timer.trigger ? [] : put(jids, timer)
    },
    note: (jids) => (chatTimers.of(jids) ? [] : put(jids, NONE)),
    write: (rows) => db.put('timers', KEY, rows),
  }
  return chatTimers
}

/** Replaces `lru-cache`, which allocates its arrays for all entries at once, even on an idle link. */
function createRecent<V>(max: number) {
  const entries = new Map<string, V>()
  return {
    get size() {
      return entries.size
    },
    get(key: string): V | undefined {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key: string, value: V): void {
      entries.delete(key)
      entries.set(key, value)
      const [oldest] = entries.size > max ? entries.keys() : []
      if (oldest !== undefined) entries.delete(oldest)
    },
  }
}

/** The disappearing timers of chats, also for sessions without a link. */
export interface TimerReader {
  /** By chat, given all known forms of its JID: seconds, 0 for none. */
  of(session: string, chats: readonly (readonly string[])[]): Promise<number[]>
}

export function createTimerReader({ db, vault }: { db: PluginDb; vault: Vault }): TimerReader {
  return {
    async of(session, chats) {
      const { index } = createSeals(vault, session)
      const forms = chats.map((jids) => jids.map((jid) => index(PLACE, jid)))
      const rows = await db
        .read<Row>(db.table('timers'))
        .where({ session })
        .whereIn('chat', [...new Set(forms.flat())])
      const timers = new Map(rows.map((row) => [String(row['chat']), toTimer(row)]))
      return forms.map((own) => newest(own.map((chat) => timers.get(chat)))?.seconds ?? 0)
    },
  }
}

/** Both forms of a JID may have a row. */
function newest(timers: readonly (ChatTimer | false | undefined)[]): ChatTimer | undefined {
  let found: ChatTimer | undefined
  for (const timer of timers) if (timer && (!found || timer.setAt > found.setAt)) found = timer
  return found
}

function toTimer(row: Row): ChatTimer {
  return { seconds: Number(row['seconds']), setAt: Number(row['set_at']), trigger: Number(row['trigger']) }
}
