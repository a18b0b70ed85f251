import { gatewayError } from 'wamux/plugin'
import type { Sending } from '../sdk.ts'
import type { Traffic } from '../traffic.ts'

/** The messages in flight on a link; prevents two simultaneous sends of one id. */
export interface InFlight {
  readonly size: number
  has(id: string): boolean
  add(id: string, fingerprint: string, sending: Promise<Sending>): void
  /**
   * Joins the running send of an id: its outcome also answers the repeated request. Rejects ID_REUSED for a different
   * request.
   */
  join(id: string, fingerprint: string): Promise<Sending>
  /** Resolves when the send of that id, or without an id all sends, have ended. */
  settled(id?: string): Promise<unknown>
}

interface Flight {
  readonly fingerprint: string
  readonly sending: Promise<Sending>
  readonly settled: Promise<void>
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
      const settled = sending.then(({ sent }) => sent).then(done, done)
      flights.set(id, { fingerprint, sending, settled })
    },
    async join(id, fingerprint) {
      const flight = flights.get(id)
      if (flight?.fingerprint !== fingerprint) throw gatewayError('ID_REUSED', [id])
      const { sent } = await flight.sending
      return { id, isReplay: true, isEnded: false, sent }
    },
    settled: (id) =>
      Promise.all(
        id === undefined ? [...flights.values()].map(({ settled }) => settled) : [flights.get(id)?.settled],
      ),
  }
}
