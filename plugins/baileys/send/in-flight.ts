import { gatewayError } from 'wamux/plugin'
import type { Sending } from '../sdk.ts'
import type { Traffic } from '../traffic.ts'

/** The messages in flight on a link, so that no id is sent twice at a time. */
export interface InFlight {
  readonly size: number
  has(id: string): boolean
  add(id: string, fingerprint: string, sending: Promise<Sending>): void
  /** The send of an id that is under way, whose outcome answers a repeated request, too. Rejects ID_REUSED for another one. */
  join(id: string, fingerprint: string): Promise<Sending>
  /** Resolves when the send of that id has ended, or all have. */
  settled(id?: string): Promise<unknown>
}

interface Entry {
  readonly fingerprint: string
  readonly sending: Promise<Sending>
  readonly settled: Promise<void>
}

export function createInFlight(traffic: Traffic): InFlight {
  const entries = new Map<string, Entry>()

  return {
    get size() {
      return entries.size
    },
    has: (id) => entries.has(id),
    add(id, fingerprint, sending) {
      traffic.inFlight += 1
      const done = (): void => {
        traffic.inFlight -= 1
        entries.delete(id)
      }
      const settled = sending.then(({ sent }) => sent).then(done, done)
      entries.set(id, { fingerprint, sending, settled })
    },
    async join(id, fingerprint) {
      const entry = entries.get(id)
      if (entry?.fingerprint !== fingerprint) throw gatewayError('ID_REUSED', [id])
      const { sent } = await entry.sending
      return { id, isReplay: true, isEnded: false, sent }
    },
    settled: (id) =>
      Promise.all(
        id === undefined ? [...entries.values()].map(({ settled }) => settled) : [entries.get(id)?.settled],
      ),
  }
}
