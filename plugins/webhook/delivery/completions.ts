import { type Log, type PluginDb, type Row, reasonOf } from 'wamux/plugin'
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
  /** Of the receiver's response. */
  readonly status: number
  /** When it ended, milliseconds since 1970. */
  readonly at: number
  readonly ms: number
}

interface Deps {
  db: PluginDb
  log: Log
}

const RETRY_MS = 1_000

export function createCompletions({ db, log }: Deps): Completions {
  let rows: Row[] = []
  let writing: Promise<void> | undefined
  let retry: NodeJS.Timeout | undefined

  async function write(isDeferred: boolean): Promise<void> {
    const batch = rows
    rows = []
    try {
      await db.write([db.update('deliveries', KEY, batch)], { isDeferred })
    } catch (error) {
      rows.unshift(...batch)
      throw error
    }
  }

  /** One write at a time, so that what is added meanwhile shares the next one. */
  async function writeAll(): Promise<void> {
    try {
      while (rows.length > 0) await write(true)
    } catch (error) {
      failed(error)
      retry ??= setTimeout(start, RETRY_MS)
    }
    writing = undefined
  }

  function start(): void {
    retry = undefined
    writing ??= writeAll()
  }

  function failed(error: unknown): void {
    log.error({ count: rows.length, reason: reasonOf(error) }, 'recording deliveries failed')
  }

  async function flush(): Promise<void> {
    // The deferred write joins it, so that no reader waits for that.
    if (writing !== undefined) await db.write([])
    await writing
    if (rows.length > 0) await write(false)
  }

  return {
    add({ endpoint, seq, attempts }, { status, at, ms }) {
      rows.push({ endpoint, seq, state: 'done', attempts: attempts + 1, last: String(status), at, ms })
      if (!retry) start()
    },
    flush,
    async close() {
      clearTimeout(retry)
      await flush().catch(failed)
      clearTimeout(retry)
    },
  }
}
