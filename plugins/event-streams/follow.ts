import type { GatewayServices, Static } from 'wamux/plugin'
import type { Source } from './source.ts'
import { type EventView, toView } from './view.ts'

/** An event to send; undefined if there was none for a heartbeat interval. */
export type Followed = Static<typeof EventView> | undefined

export interface FollowParts {
  source: Source
  attachments: GatewayServices['attachments'] | undefined
  from: number
  heartbeatMs: number
  signal: AbortSignal
}

/** Events in memory for one client; the next page is read after these are sent. */
const PAGE = 50

/**
 * Events from the log, as fast as the client accepts them, until `signal` aborts. Rejects EVENTS_DROPPED, and TOKEN_INVALID
 * once the session was deleted.
 */
export async function* follow(parts: FollowParts): AsyncGenerator<Followed> {
  const { source, attachments, from, heartbeatMs, signal } = parts
  const watcher = source.watch()
  let seq = from
  let quietSince = Date.now()
  try {
    while (!signal.aborted) {
      const lines = await source.page(seq, PAGE)
      for (const line of lines) {
        if (signal.aborted) return
        const session = await source.sessionOf(line)
        if (session && (await source.passes(line))) {
          yield toView(session, line, attachments)
          quietSince = Date.now()
        }
        seq = line.seq
      }
      const due = quietSince + heartbeatMs
      if (lines.length === 0) await watcher.wait(Math.max(0, due - Date.now()), signal)
      if (Date.now() < due) continue
      yield undefined
      quietSince = Date.now()
    }
  } finally {
    watcher.close()
  }
}
