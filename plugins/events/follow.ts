import type { LogEvent, Session } from 'wamux/plugin'
import type { Source } from './source.ts'

/** An event to send, or nothing for as long as a heartbeat. */
export type Followed = { readonly line: LogEvent; readonly session: Session } | undefined

export interface FollowParts {
  source: Source
  from: number
  heartbeatMs: number
  signal: AbortSignal
}

/** Events in memory for one client; the next page is read when these were sent. */
const PAGE = 50

/**
 * Events from the log, as fast as the client takes them, until `signal` aborts. Rejects EVENTS_DROPPED, and TOKEN_INVALID
 * once the session was deleted.
 */
export async function* follow({ source, from, heartbeatMs, signal }: FollowParts): AsyncGenerator<Followed> {
  const watcher = source.watch()
  let seq = from
  try {
    while (!signal.aborted) {
      const lines = await source.page(seq, PAGE)
      for (const line of lines) {
        if (signal.aborted) return
        const session = await source.sessionOf(line)
        if (session && source.passes(line)) yield { line, session }
        seq = line.seq
      }
      if (lines.length > 0) continue
      const began = Date.now()
      await watcher.wait(heartbeatMs, signal)
      if (Date.now() - began >= heartbeatMs) yield undefined
    }
  } finally {
    watcher.close()
  }
}
