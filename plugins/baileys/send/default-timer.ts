import type { WASocket } from '@whiskeysockets/baileys'
import type { PluginDb } from 'wamux/plugin'
import { jidNormalizedUser, proto } from '../baileys.ts'
import type { ChatTimer } from '../protocol/chat-timer.ts'
import { iq, type Query } from '../protocol/query.ts'
import type { Me } from '../protocol/signals.ts'
import { type ChatTimers, DEFAULT } from '../store/chat-timers.ts'

export interface DefaultTimerParts {
  wa: Pick<WASocket, 'fetchDisappearingDuration'>
  query: Query
  timers: ChatTimers
  db: PluginDb
  track<T>(write: Promise<T>): Promise<T>
  me(): Me
}

/** The account's timer for new chats. */
export interface DefaultTimer {
  /** Queries it; later changes by other devices arrive as notifications. Undefined without an answer. */
  read(): Promise<ChatTimer | undefined>
  set(seconds: number): Promise<void>
}

export function createDefaultTimer(parts: DefaultTimerParts): DefaultTimer {
  const { wa, query, timers, db, track, me } = parts
  const trigger = proto.DisappearingMode.Trigger.ACCOUNT_SETTING

  function learn(timer: ChatTimer): ChatTimer {
    const rows = timers.learn([DEFAULT], timer)
    if (rows.length > 0) void track(db.write([timers.write(rows)])).catch(() => undefined)
    return timer
  }

  async function read(): Promise<ChatTimer | undefined> {
    const found = await wa.fetchDisappearingDuration(jidNormalizedUser(me().id)).catch(() => undefined)
    const mode = found?.[0]?.['disappearing_mode'] as { duration?: number; setAt?: Date } | undefined
    if (!mode) return undefined
    const setAt = Math.floor((mode.setAt?.getTime() ?? 0) / 1000)
    return learn({ seconds: mode.duration ?? 0, setAt, trigger })
  }

  return {
    read,
    async set(seconds) {
      const mode = { tag: 'disappearing_mode', attrs: { duration: String(seconds) } }
      await query(iq('disappearing_mode', 'set', mode), 'set the default timer')
      await timers.load([DEFAULT])
      // The network tells the other devices only. Its time orders this change among theirs.
      if (!(await read())) learn({ seconds, setAt: Math.floor(db.now() / 1000), trigger })
    },
  }
}
