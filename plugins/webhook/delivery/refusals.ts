import type { PluginDb, Row } from 'wamux/plugin'
import type { Delivery } from './delivery.ts'

/**
 * Distinguishes a body that a receiver refuses (4xx) from a receiver that refuses everything, for example because its URL is
 * wrong.
 *
 * If the receiver accepts other bodies, the refused one is retried once soon, then leaves its lane so that the chat
 * continues. If it was refused three times and another body was accepted between two refusals, the body is at fault and
 * becomes a dead letter. While nothing is accepted, a refusal is a failure like any other: it blocks its lane and is retried
 * by the schedule.
 */
export interface Refusals {
  /** The endpoint has accepted something. */
  accepted(endpoint: string): void
  /** A delivery was refused. */
  refused(delivery: Pick<Delivery, 'endpoint' | 'seq'>): Promise<Verdict>
  /** Forgets a delivery that is done or dead-lettered. */
  forget(delivery: Pick<Delivery, 'endpoint' | 'seq'>): void
}

export type Verdict =
  /** No evidence that the receiver accepts others. */
  | 'unknown'
  /** Retried soon, in its lane. */
  | 'soon'
  /** The lane continues without it. */
  | 'pass'
  /** The receiver accepts others and never this one. */
  | 'dead'

interface Known {
  /** Number of deliveries that the endpoint has accepted in this process. */
  accepted: number
  /** By seq, for the refused ones. */
  readonly refused: Map<number, { tries: number; accepted: number }>
}

/** Attempts after which a body becomes a dead letter if others are accepted. */
const TRIES = 3
/** Consecutive refusals after which the receiver counts as refusing everything. */
const MAX_SUSPECTS = 4
const MAX_REFUSED = 1_000
/** Number of the newest deliveries, of all endpoints, searched for an accepted one after a start. */
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
