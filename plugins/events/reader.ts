import { type Events, gatewayError, type LogEvent, type Session } from 'wamux/plugin'

/** The events that one client reads. */
export interface Want {
  readonly session: Session
  readonly classes: readonly string[]
}

/** Reads the log of one session page by page. */
export interface Reader {
  /** The cursor to begin at: the given `after`, or the end of the log. Rejects EVENTS_DROPPED. */
  place(want: Want, after: number | undefined): Promise<number>
  /** Events after `seq`; rejects EVENTS_DROPPED when retention has deleted events that the client has not read. */
  page(want: Want, seq: number, limit: number): Promise<LogEvent[]>
  /** A bell for what is logged from now on. */
  bell(want: Want): Bell
}

export interface Bell {
  /** Ends when something came since the last wait, after `ms`, or with the signal. */
  wait(ms: number, signal: AbortSignal): Promise<void>
  close(): void
}

export function createReader({ events }: { events: Events }): Reader {
  async function assertKept(session: string, seq: number): Promise<void> {
    const { dropped, oldest } = await events.bounds(session)
    // 0 starts at the oldest event, whichever that is.
    if (seq > 0 && seq < dropped) throw gatewayError('EVENTS_DROPPED', [dropped, oldest || dropped + 1])
  }
  return {
    async place({ session }, after) {
      if (after === undefined) return (await events.bounds(session.id)).newest
      await assertKept(session.id, after)
      return after
    },
    async page({ session, classes }, seq, limit) {
      const lines = await events.after(seq, limit, { session: session.id, classes })
      // Checked after the read: events deleted between check and read would be missed otherwise.
      await assertKept(session.id, seq)
      return lines
    },
    bell({ session, classes }) {
      let hasRung = false
      let wake: (() => void) | undefined
      const isWanted = ({ session: id, class: kind }: LogEvent): boolean =>
        id === session.id && (classes.includes('All') || classes.includes(kind))
      const close = events.watch((lines) => {
        if (!lines.some(isWanted)) return
        hasRung = true
        wake?.()
      })
      return {
        close,
        async wait(ms, signal) {
          if (!hasRung && !signal.aborted) {
            await new Promise<void>((resolve) => {
              const end = (): void => {
                clearTimeout(timer)
                signal.removeEventListener('abort', end)
                resolve()
              }
              const timer = setTimeout(end, ms)
              signal.addEventListener('abort', end)
              wake = end
            })
          }
          wake = undefined
          hasRung = false
        },
      }
    },
  }
}
