import { type Backoff, type Log, type PluginDb, type Row, reasonOf, writeBehind } from 'wamux/plugin'
import { type Delivery, KEY } from './delivery.ts'

/**
 * Records the deliveries that receivers accepted, many in one commit: no lane waits for it. What a crash keeps from being
 * recorded is delivered again, under the same id.
 */
export interface Completions {
  add(delivery: Pick<Delivery, 'endpoint' | 'seq' | 'attempts'>, accepted: Accepted): void
  /** Resolves when all that were added are recorded, which a reader of the table would see as pending before. */
  flush(): Promise<void>
  /** Records what was added, if the database allows it. */
  close(): Promise<void>
}

/** The attempt that the receiver accepted. */
export interface Accepted {
  /** Status of the receiver's response. */
  readonly status: number
  /** When it ended, milliseconds since 1970. */
  readonly at: number
  readonly ms: number
}

interface Deps {
  db: PluginDb
  log: Log
}

const RETRY: Backoff = { first: 1_000, most: 1_000 }

export function createCompletions({ db, log }: Deps): Completions {
  const behind = writeBehind<Row>({
    write: (rows, isDeferred) => db.write([db.update('deliveries', KEY, [...rows.values()])], { isDeferred }),
    onError: (error) =>
      log.error({ count: behind.size, reason: reasonOf(error) }, 'recording deliveries failed'),
    retry: RETRY,
  })
  return {
    add({ endpoint, seq, attempts }, { status, at, ms }) {
      const row = { endpoint, seq, state: 'done', attempts: attempts + 1, last: String(status), at, ms }
      behind.add(`${endpoint}/${seq}`, row)
    },
    async flush() {
      if (behind.size === 0) return
      const flushed = behind.flush()
      // A deferred write joins this one, so that no reader waits for it.
      await Promise.all([flushed, db.write([])])
    },
    close: behind.close,
  }
}
