import { type EventFacts, eventFactsOf } from 'wamux/messaging'
import { ALL_OWNED, type LogEvent, type Ownership, type Sessions } from 'wamux/plugin'
import type { Deliveries } from '../delivery/deliveries.ts'
import { type Delivery, newDelivery } from '../delivery/delivery.ts'
import { subscribes } from '../endpoints/endpoint.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { Formats } from '../formats/formats.ts'

/** Stores a delivery of each event for every subscribed endpoint. */
export interface FanOut {
  /** Begins to follow the sessions that this process gains. */
  start(): void
  /** Resolves after the commit. */
  store(events: readonly LogEvent[]): Promise<Stored>
}

interface Stored {
  readonly fresh: readonly Delivery[]
  /** Deliveries whose rows may already exist: of a session's first events, and of events consumed again. */
  readonly known: readonly Delivery[]
}

interface Deps {
  deliveries: Deliveries
  endpoints: Endpoints
  formats: Formats
  sessions: Sessions
  ownership?: Ownership | undefined
}

export function createFanOut(deps: Deps): FanOut {
  const { deliveries, endpoints, formats, sessions, ownership = ALL_OWNED } = deps
  /** By session, the seq of the newest event that this process has stored since it began to serve the session. */
  const seen = new Map<string, number>()

  return {
    start() {
      ownership.watch((session) => void seen.delete(session))
    },
    async store(events) {
      for (const { session } of events) if (endpoints.isPending(session)) await endpoints.ready(session)
      const fresh: Delivery[] = []
      const known: Delivery[] = []
      const now = Date.now()
      for (const line of events) {
        const session = await sessions.byId(line.session)
        if (!session) continue
        const entered = line.seq > (seen.get(session.id) ?? Number.POSITIVE_INFINITY) ? fresh : known
        if (session.webhook) await endpoints.main(session)
        let made: EventFacts | undefined
        const facts = (): EventFacts => {
          made ??= eventFactsOf(line)
          return made
        }
        for (const endpoint of endpoints.receivers(session)) {
          if (!subscribes(endpoint, line, facts)) continue
          const accepted = formats.accepts(endpoint, line, session)
          // Most formats answer synchronously, without costing a turn.
          if (accepted === true || (accepted !== false && (await accepted)))
            entered.push(newDelivery(endpoint.id, session.jid, line, now))
        }
      }
      const all = [...known, ...fresh]
      if (all.length > 0) await deliveries.add(all)
      for (const { session, seq } of events) seen.set(session, Math.max(seen.get(session) ?? 0, seq))
      return { fresh, known }
    },
  }
}
