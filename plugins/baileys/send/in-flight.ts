import { gatewayError, inProgress } from 'wamux/plugin'
import type { Sending } from '../sdk.ts'
import type { Traffic } from '../traffic.ts'

/** The messages in flight on a link; prevents two simultaneous sends of one id. */
export interface InFlight {
  readonly size: number
  has(id: string): boolean
  add(id: string, fingerprint: string, sending: Promise<Sending>): void
  /**
   * Joins the running send of an id: its outcome also answers the repeated request, at once if it is being stored. Rejects
   * ID_REUSED for a different request.
   */
  join(id: string, fingerprint: string): Promise<Sending>
  /** The outcome of a send is being stored: until then it stays in flight. */
  store(id: string, stored: Promise<unknown>): void
  /** Resolves when the outcome of that send, or without an id of all sends, is stored. */
  settled(id?: string): Promise<unknown>
}

interface Flight {
  readonly fingerprint: string
  readonly sending: Promise<Sending>
  readonly settled: Promise<void>
  /** Undefined until the outcome is known. Never rejects. */
  stored?: Promise<unknown>
}

export function createInFlight(traffic: Traffic): InFlight {
  const flights = new Map<string, Flight>()

  return {
    get size() {
      return flights.size
    },
    has: (id) => flights.has(id),
    add(id, fingerprint, sending) {
      traffic.inFlight += 1
      const done = (): void => {
        traffic.inFlight -= 1
        flights.delete(id)
      }
      const settled: Promise<void> = inProgress(
        sending
          .then(({ sent }) => sent)
          .then(() => flight.stored)
          .then(done, done),
      )
      const flight: Flight = { fingerprint, sending, settled }
      flights.set(id, flight)
    },
    store(id, stored) {
      const flight = flights.get(id)
      if (flight) flight.stored = stored.catch(() => undefined)
    },
    async join(id, fingerprint) {
      const flight = flights.get(id)
      if (flight?.fingerprint !== fingerprint) throw gatewayError('ID_REUSED', [id])
      const { sent } = await flight.sending
      return { id, isReplay: true, isEnded: flight.stored !== undefined, sent }
    },
    settled: (id) =>
      Promise.all(
        id === undefined ? [...flights.values()].map(({ settled }) => settled) : [flights.get(id)?.settled],
      ),
  }
}
