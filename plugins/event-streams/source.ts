import { eventFactsOf, passesFilter } from 'wamux/messaging'
import {
  type Events,
  gatewayError,
  type LogEvent,
  PAGE_BYTES,
  type Session,
  type Sessions,
} from 'wamux/plugin'
import { createChange } from './change.ts'
import type { EventQuery, Reader, Watcher } from './reader.ts'
import type { Subscriber } from './subscriber.ts'

/** The log as read by one client: of one session, or of all. */
export interface Source {
  /** The cursor to begin at: the given `after`, or the end of the log. Rejects EVENTS_DROPPED. */
  cursor(after: number | undefined): Promise<number>
  /**
   * Events after `seq`, including those that the client's filter leaves out: the cursor moves past them. Rejects
   * EVENTS_DROPPED, and TOKEN_INVALID once the session was deleted.
   */
  page(seq: number, limit: number): Promise<LogEvent[]>
  watch(): Watcher
  /** The session of an event; undefined if it was deleted. */
  sessionOf(line: LogEvent): Promise<Session | undefined>
  /** Whether the client asked for the event and may see it. */
  passes(line: LogEvent): Promise<boolean>
}

interface Deps {
  reader: Reader
  events: Events
  sessions: Sessions
}

export function sourceOf(deps: Deps, subscriber: Subscriber): Source {
  const { sessions } = deps
  const { session, viewer, classes } = subscriber
  return {
    ...(session ? ofSession(deps, { session, viewer, classes }) : ofAll(deps, classes)),
    sessionOf: ({ session: id }) => sessions.byId(id),
    passes: (line) => passes(subscriber, line),
  }
}

/** Whether the client asked for the event and may see it. */
export async function passes({ filter, sessions, id, viewer }: Subscriber, line: LogEvent): Promise<boolean> {
  if (sessions && !sessions.includes(line.session)) return false
  if (id !== undefined && !hasId(line, id)) return false
  return passesFilter(filter, line, () => eventFactsOf(line)) && viewer.seesEvent(line)
}

/** Whether the event, or a message in it, has the id: searched as a complete string in the JSON, without parsing it. */
export function hasId({ id, json = '' }: LogEvent, wanted: string): boolean {
  return id === wanted || json.includes(JSON.stringify(wanted))
}

type Reading = Pick<Source, 'cursor' | 'page' | 'watch'>

function ofSession({ reader, sessions }: Deps, query: EventQuery): Reading {
  return {
    cursor: (after) => reader.cursor(query, after),
    async page(seq, limit) {
      if (!(await sessions.byId(query.session.id))) throw gatewayError('TOKEN_INVALID')
      return reader.page(query, seq, limit)
    },
    watch: () => reader.watch(query),
  }
}

function ofAll({ events, sessions }: Deps, classes: readonly string[]): Reading {
  return {
    async cursor(after) {
      const bounds = await Promise.all((await sessions.list()).map(({ id }) => events.bounds(id)))
      const dropped = Math.max(0, ...bounds.map((one) => one.dropped))
      // 0 starts at the oldest available event.
      if (after && after < dropped) throw gatewayError('EVENTS_DROPPED', [dropped, dropped + 1])
      return after ?? Math.max(0, ...bounds.map(({ newest }) => newest))
    },
    page: (seq, limit) => events.after(seq, limit, { classes, bytes: PAGE_BYTES }),
    watch: () => watchAll(events),
  }
}

/** Like `watch` of the reader, for the events of all sessions. */
function watchAll(events: Events): Watcher {
  const change = createChange()
  const close = events.watch(change.set)
  return {
    close,
    async wait(ms, signal) {
      await change.wait(ms, signal)
      change.clear()
    },
  }
}
