import { type Backoff, type Log, type PluginDb, type Row, reasonOf, writeBehind } from 'wamux/plugin'
import { type Delivery, KEY } from './delivery.ts'

/**
 * Records accepted deliveries, many in one commit: no lane waits for it. Deliveries unrecorded at a crash are repeated under
 * the same id.
 */
export interface Completions {
  add(delivery: Pick<Delivery, 'endpoint' | 'seq' | 'attempts'>, accepted: Accepted): void
  /** Resolves when all added deliveries are recorded; until then a reader of the table would see them as pending. */
  flush(): Promise<void>
  /** Records added deliveries, if the database allows it. */
  close(): Promise<void>
}

/** The accepted attempt. */
interface Accepted {
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
