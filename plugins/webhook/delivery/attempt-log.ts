import { type Events, type PluginDb, type Row, type Static, T, type Vault, type Write } from 'wamux/plugin'
import type { AttemptResult } from './attempt.ts'
import type { Completions } from './completions.ts'
import { type Delivery, KEY } from './delivery.ts'

/** One attempt to deliver an event. */
export const AttemptView = T.Object(
  {
    Seq: T.Integer({ description: 'Seq of the event' }),
    Endpoint: T.String(),
    Attempt: T.Integer({ description: 'Its number, from 1; a replay restarts the count' }),
    At: T.String({ description: 'When it ended, RFC 3339' }),
    Milliseconds: T.Integer({ description: 'Duration of the attempt' }),
    Accepted: T.Boolean(),
    Status: T.String({ description: 'Status of the answer, or the reason why there was none' }),
    Answer: T.String({
      description: 'The first 500 characters of the answer to a failed attempt; empty without one',
    }),
  },
  { title: 'DeliveryAttempt' },
)

/**
 * The attempts of deliveries. A failure is written in the commit that plans the retry; an accepted attempt is kept in the
 * delivery's row, so an immediate success costs neither a row nor a commit.
 */
export interface AttemptLog {
  failed(
    delivery: Pick<Delivery, 'seq' | 'endpoint' | 'attempts' | 'line'>,
    result: AttemptResult,
    last: string,
  ): Write
  /** Saves the accepted attempts of deliveries that are being reset. */
  accepted(deliveries: readonly Row[]): Write
  /** Attempts of the given events, oldest first; at most 200. */
  list(endpoints: readonly string[], seqs: readonly number[]): Promise<Static<typeof AttemptView>[]>
}

interface Deps {
  db: PluginDb
  vault: Vault
  events: Events
  completions: Completions
}

const ATTEMPT = [...KEY, 'at']
const MAX_LISTED = 200

export function createAttemptLog({ db, vault, events, completions }: Deps): AttemptLog {
  const byEvent = (table: string, endpoints: readonly string[], seqs: readonly number[]) =>
    db
      .read<Row>(db.table(table))
      .whereIn('seq', [...seqs])
      .whereIn('endpoint', [...endpoints])

  /** The session of each event; its key sealed the answers. */
  async function sessionsOf(seqs: readonly number[]): Promise<Map<number, string>> {
    return new Map((await events.lines(seqs)).map(({ seq, session }) => [seq, session]))
  }

  return {
    failed({ seq, endpoint, attempts, line }, { at, ms, head }, last) {
      const sealed = head ? vault.seal(line.session, placeOf(seq, endpoint, at), head) : null
      const row = { seq, endpoint, at, ms, attempt: attempts + 1, last, accepted: false, head: sealed }
      return db.add('attempts', ATTEMPT, [row])
    },
    accepted: (deliveries) =>
      db.add(
        'attempts',
        ATTEMPT,
        deliveries.map(({ seq, endpoint, at, ms, attempts, last }) => ({
          seq,
          endpoint,
          at,
          ms,
          last,
          head: null,
          attempt: attempts,
          accepted: true,
        })),
      ),
    async list(endpoints, seqs) {
      await completions.flush()
      const rows = await byEvent('attempts', endpoints, seqs).orderBy('at').limit(MAX_LISTED)
      const delivered = await byEvent('deliveries', endpoints, seqs)
        .where({ state: 'done' })
        .limit(MAX_LISTED)
      const sessions = rows.some((row) => row['head']) ? await sessionsOf(seqs) : new Map<number, string>()
      const kept = rows.map((row) => {
        const [seq, endpoint, at] = [Number(row['seq']), String(row['endpoint']), Number(row['at'])]
        const session = sessions.get(seq)
        const head = row['head'] as Buffer | null
        const answer = head && session ? vault.open(session, placeOf(seq, endpoint, at), head).toString() : ''
        return toView(row, Number(row['attempt']), Boolean(row['accepted']), answer)
      })
      const last = delivered
        .filter((row) => row['at'])
        .map((row) => toView(row, Number(row['attempts']), true, ''))
      return [...kept, ...last].sort((a, b) => a.At.localeCompare(b.At))
    },
  }
}

/** RFC 3339; '' for no time. */
export function timeOf(at: Row[string]): string {
  return at ? new Date(Number(at)).toISOString() : ''
}

function placeOf(seq: number, endpoint: string, at: number): string {
  return `webhook_attempts/${endpoint}/${seq}/${at}`
}

/** A format without a form for an event makes no request. */
function acceptedAs(status: string): string {
  return status === '0' ? 'nothing to send' : `status ${status}`
}

function toView(row: Row, Attempt: number, Accepted: boolean, Answer: string): Static<typeof AttemptView> {
  const status = String(row['last'])
  return {
    Seq: Number(row['seq']),
    Endpoint: String(row['endpoint']),
    Attempt,
    At: timeOf(row['at']),
    Milliseconds: Number(row['ms']),
    Accepted,
    Status: Accepted ? acceptedAs(status) : status,
    Answer,
  }
}
