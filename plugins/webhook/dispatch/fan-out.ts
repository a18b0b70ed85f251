import { type EventFacts, eventFactsOf } from 'wamux/messaging'
import { ALL_OWNED, type LogEvent, type Ownership, type Sessions } from 'wamux/plugin'
import type { Deliveries } from '../delivery/deliveries.ts'
import type { Delivery } from '../delivery/delivery.ts'
import { accepts } from '../endpoints/endpoint.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'

/** Stores a delivery of each event for every endpoint that is subscribed to it. */
export interface FanOut {
  /** From here on it knows which sessions this process gains. */
  start(): void
  /** Resolves after the commit. */
  store(events: readonly LogEvent[]): Promise<Stored>
}

export interface Stored {
  readonly fresh: readonly Delivery[]
  /** Those whose rows may exist already: of the first events of a session, and of events that are consumed again. */
  readonly known: readonly Delivery[]
}

interface Deps {
  deliveries: Deliveries
  endpoints: Endpoints
  sessions: Sessions
  ownership?: Ownership | undefined
}

export function createFanOut({ deliveries, endpoints, sessions, ownership = ALL_OWNED }: Deps): FanOut {
  /** By session, the seq of the newest event that this process stored since it serves the session. */
  const seen = new Map<string, number>()
  /** Sessions whose endpoints another process may have changed. */
  const gained = new Set<string>()

  async function loadGained(): Promise<void> {
    const sessions = [...gained]
    await endpoints.load()
    for (const session of sessions) gained.delete(session)
  }

  return {
    start() {
      ownership.watch((session, isOwned) => {
        seen.delete(session)
        if (isOwned) gained.add(session)
      })
    },
    async store(events) {
      if (events.some(({ session }) => gained.has(session))) await loadGained()
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
          if (accepts(endpoint, line, facts)) entered.push(toDelivery(endpoint.id, session.jid, now, line))
        }
      }
      const all = [...known, ...fresh]
      if (all.length > 0) await deliveries.add(all)
      for (const { session, seq } of events) seen.set(session, Math.max(seen.get(session) ?? 0, seq))
      return { fresh, known }
    },
  }
}

function toDelivery(endpoint: string, jid: string, entered: number, line: LogEvent): Delivery {
  const { seq, lane } = line
  return { endpoint, seq, lane, jid, attempts: 0, step: 0, nextAt: 0, entered, line }
}
