import type { WASocket } from '@whiskeysockets/baileys'
import type { PluginDb } from 'wamux/plugin'
import { jidNormalizedUser, proto } from '../baileys.ts'
import type { ChatTimer } from '../protocol/chat-timer.ts'
import type { Me } from '../protocol/signals.ts'
import { type ChatTimers, DEFAULT } from '../store/chat-timers.ts'

export interface DefaultTimerParts {
  wa: WASocket
  timers: ChatTimers
  db: PluginDb
  track<T>(write: Promise<T>): Promise<T>
  me(): Me
}

/** Queries the account's timer for new chats; later changes arrive as notifications. Undefined without an answer. */
export function defaultTimerOf({ wa, timers, db, track, me }: DefaultTimerParts) {
  return async (): Promise<ChatTimer | undefined> => {
    const found = await wa.fetchDisappearingDuration(jidNormalizedUser(me().id)).catch(() => undefined)
    const mode = found?.[0]?.['disappearing_mode'] as { duration?: number; setAt?: Date } | undefined
    if (!mode) return undefined
    const setAt = Math.floor((mode.setAt?.getTime() ?? 0) / 1000)
    const timer = {
      seconds: mode.duration ?? 0,
      setAt,
      trigger: proto.DisappearingMode.Trigger.ACCOUNT_SETTING,
    }
    const rows = timers.learn([DEFAULT], timer)
    if (rows.length > 0) void track(db.write([timers.write(rows)])).catch(() => undefined)
    return timer
  }
}
