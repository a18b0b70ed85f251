import type { PluginDb, Row } from 'wamux/plugin'
import type { Delivery } from './delivery.ts'

/**
 * Distinguishes a body that a receiver refuses (4xx) from a receiver that refuses everything, for example because its URL is
 * wrong.
 *
 * A receiver that accepts others is asked a second time, soon; then the refused one leaves its lane, so that the chat goes on.
 * Once another was accepted between two refusals of it, and it was refused three times, it is the body, and it is a dead
 * letter. While nothing is accepted, a refusal is a failure like any other: it holds its lane, and is retried by the schedule.
 */
export interface Refusals {
  /** The endpoint has accepted something. */
  accepted(endpoint: string): void
  /** A delivery was refused. */
  refused(delivery: Pick<Delivery, 'endpoint' | 'seq'>): Promise<Verdict>
  /** A delivery is done, or dead as one that is refused. */
  forget(delivery: Pick<Delivery, 'endpoint' | 'seq'>): void
}

export type Verdict =
  /** Nothing shows that the receiver accepts others. */
  | 'unknown'
  /** To be tried again soon, in its lane. */
  | 'soon'
  /** The lane goes on without it. */
  | 'pass'
  /** The receiver accepts others and never this one. */
  | 'dead'

interface Known {
  /** Counts what the endpoint has accepted in this process. */
  accepted: number
  /** By seq, of those that it refused. */
  readonly refused: Map<number, { tries: number; accepted: number }>
}

/** After so many tries a body that is refused beside accepted ones is dead. */
const TRIES = 3
/** So many may be refused with nothing accepted between, until the receiver counts as one that refuses everything. */
const MAX_SUSPECTS = 4
const MAX_REFUSED = 1_000
/** Deliveries of all endpoints, among the newest of which an accepted one is looked for after a start. */
const WINDOW = 20_000

export function createRefusals({ db }: { db: PluginDb }): Refusals {
  const byEndpoint = new Map<string, Known>()

  function knownOf(endpoint: string): Known {
    const known = byEndpoint.get(endpoint) ?? { accepted: 0, refused: new Map() }
    byEndpoint.set(endpoint, known)
    return known
  }

  async function hasAccepted(endpoint: string): Promise<boolean> {
    const table = db.table('deliveries')
    const newest = await db.read<Row>(table).max({ seq: 'seq' }).first()
    const row = await db
      .read<Row>(table)
      .where({ endpoint, state: 'done' })
      .where('seq', '>', Number(newest?.['seq'] ?? 0) - WINDOW)
      .first('seq')
    return row !== undefined
  }

  return {
    accepted(endpoint) {
      knownOf(endpoint).accepted += 1
    },
    async refused({ endpoint, seq }) {
      const known = knownOf(endpoint)
      const { refused } = known
      const { tries, accepted } = refused.get(seq) ?? { tries: 0, accepted: known.accepted }
      refused.set(seq, { tries: tries + 1, accepted: known.accepted })
      const oldest = refused.keys().next().value
      if (refused.size > MAX_REFUSED && oldest !== undefined) refused.delete(oldest)
      if (known.accepted > accepted) return tries + 1 >= TRIES ? 'dead' : 'pass'
      const suspects = [...refused.values()].filter((one) => one.accepted === known.accepted)
      if (suspects.length > MAX_SUSPECTS) return 'unknown'
      if (known.accepted === 0 && !(await hasAccepted(endpoint))) return 'unknown'
      return tries === 0 ? 'soon' : 'pass'
    },
    forget({ endpoint, seq }) {
      byEndpoint.get(endpoint)?.refused.delete(seq)
    },
  }
}
