import {
  ALL_OWNED,
  type Events,
  gatewayError,
  isGatewayError,
  type LogEvent,
  type Ownership,
  PAGE_BYTES,
  type Session,
  type Viewer,
} from 'wamux/plugin'
import { createChange } from './change.ts'

/** The events that one client reads. */
export interface EventQuery {
  readonly session: Session
  readonly viewer: Viewer
  readonly classes: readonly string[]
}

/** Reads the log of one session page by page. */
export interface Reader {
  /** The cursor to begin at: the given `after`, or the end of the log. Rejects EVENTS_DROPPED. */
  cursor(query: EventQuery, after: number | undefined): Promise<number>
  /**
   * Events after `seq`, at most `limit` and about PAGE_BYTES, including those that the viewer does not see (`visible`); rejects EVENTS_DROPPED if retention has
   * deleted events that the client has not read.
   */
  page(query: EventQuery, seq: number, limit: number): Promise<LogEvent[]>
  /** Watches for new events. */
  watch(query: EventQuery): Watcher
}

export interface Watcher {
  /** Resolves when an event has been logged since the last wait, after `ms`, or when `signal` aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>
  close(): void
}

interface Deps {
  events: Events
  ownership?: Ownership | undefined
}

/** How often the log is read for a session whose events another process logs. */
const LOOK_MS = 1_000

export function createReader({ events, ownership = ALL_OWNED }: Deps): Reader {
  async function assertKept(session: string, seq: number): Promise<void> {
    const { dropped, oldest } = await events.bounds(session)
    // 0 starts at the oldest available event.
    if (seq > 0 && seq < dropped) throw gatewayError('EVENTS_DROPPED', [dropped, oldest || dropped + 1])
  }
  return {
    async cursor({ session }, after) {
      if (after === undefined) return (await events.bounds(session.id)).newest
      await assertKept(session.id, after)
      return after
    },
    async page({ session, classes }, seq, limit) {
      const lines = await events.after(seq, limit, {
        session: session.id,
        classes,
        bytes: PAGE_BYTES,
      })
      // Checked after the read: otherwise events deleted between check and read would be missed.
      await assertKept(session.id, seq)
      return lines
    },
    watch({ session, classes }) {
      const newestOf = async (): Promise<number> => (await events.bounds(session.id)).newest
      // Reset before the caller reads a page, so that no event in between goes unnoticed.
      let newest = ownership.owns(session.id) ? undefined : newestOf()
      // The waiting readers get the error.
      newest?.catch(() => undefined)
      const change = createChange()

      async function look(): Promise<void> {
        const before = await newest
        newest = newestOf()
        if ((await newest) !== before) change.set()
      }
      const matches = ({ session: id, class: kind }: LogEvent): boolean =>
        id === session.id && (classes.includes('All') || classes.includes(kind))
      const close = events.watch((lines) => {
        if (lines.some(matches)) change.set()
      })
      return {
        close,
        async wait(ms, signal) {
          for (let left = ms; left > 0 && !change.isSet && !signal.aborted; ) {
            const isElsewhere = !ownership.owns(session.id)
            const part = isElsewhere ? Math.min(LOOK_MS, left) : left
            await change.wait(part, signal)
            left -= part
            if (isElsewhere) await look()
          }
          change.clear()
        },
      }
    },
  }
}

/** The events that the viewer sees. */
export async function visible({ viewer }: EventQuery, lines: readonly LogEvent[]): Promise<LogEvent[]> {
  const shown = await Promise.all(lines.map((line) => viewer.seesEvent(line)))
  return lines.filter((_, at) => shown[at])
}

/** Throws the error of credentials that became invalid while the request waited. */
export function assertValid({ aborted, reason }: AbortSignal): void {
  if (aborted && isGatewayError(reason) && reason.code !== 'STOPPING') throw reason
}
