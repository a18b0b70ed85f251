import { type EventFacts, eventFactsOf } from 'wamux/messaging'
import type { LogEvent, Sessions } from 'wamux/plugin'
import type { Deliveries, Delivery } from '../delivery/deliveries.ts'
import { accepts } from '../endpoints/endpoint.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'

/** Stores a delivery of each event for every endpoint that is subscribed to it. */
export interface FanOut {
  /**
   * Resolves after the commit. `isNew` is false where the rows may exist already: in the first batch after a start,
   * and when a batch is consumed again.
   */
  store(events: readonly LogEvent[]): Promise<{ deliveries: readonly Delivery[]; isNew: boolean }>
}

interface Deps {
  deliveries: Deliveries
  endpoints: Endpoints
  sessions: Sessions
}

export function createFanOut({ deliveries, endpoints, sessions }: Deps): FanOut {
  /** Seq of the newest event since the start. */
  let seen: number | undefined
  return {
    async store(events) {
      const first = events[0]?.seq ?? 0
      const isNew = seen !== undefined && first > seen
      seen = Math.max(seen ?? 0, events.at(-1)?.seq ?? 0)
      const entered: Delivery[] = []
      const now = Date.now()
      for (const line of events) {
        const session = await sessions.byId(line.session)
        if (!session) continue
        if (session.webhook) await endpoints.main(session)
        let known: EventFacts | undefined
        const facts = (): EventFacts => {
          known ??= eventFactsOf(line)
          return known
        }
        for (const endpoint of endpoints.receivers(session)) {
          if (accepts(endpoint, line, facts)) entered.push(toDelivery(endpoint.id, session.jid, now, line))
        }
      }
      if (entered.length > 0) await deliveries.add(entered)
      return { deliveries: entered, isNew }
    },
  }
}

function toDelivery(endpoint: string, jid: string, entered: number, line: LogEvent): Delivery {
  const { seq, lane } = line
  return { endpoint, seq, lane, jid, attempts: 0, step: 0, nextAt: 0, entered, line }
}
