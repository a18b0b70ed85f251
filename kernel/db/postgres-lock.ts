import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Knex } from 'knex'
import { gatewayError, reasonOf } from '../errors.ts'
import type { Log } from '../types/driver.ts'

export interface PostgresLock {
  /** Resolves when another process has it; never while this one has. */
  readonly taken: Promise<void>
  release(): Promise<void>
}

/** What is used of a connection of pg. */
interface Connection {
  query(sql: string): Promise<{ rows: Record<string, unknown>[] }>
  once(event: 'end', told: () => void): unknown
  end(): Promise<void>
}

const RETRY_MS = 1_000

// The server frees the lock of a machine that is gone within half a minute, not in two hours.
const KEEPALIVE =
  'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3'

/** One lock a schema: its tables are what one process has for itself. */
const LOCK =
  "SELECT pg_try_advisory_lock(hashtext('wamux'), hashtext(coalesce(current_schema(), ''))) AS held"

/** After a network failure the server may still hold the connection that we lost, and with it the lock. */
const END_OLD =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = current_setting('application_name') AND pid <> pg_backend_pid()"

/**
 * Makes this process the only user of a PostgreSQL schema: an advisory lock on a connection of its own, held for life.
 * The server drops it with the connection. A connection that is lost is opened again until it has the lock, or until
 * another process has.
 */
export async function holdPostgres(main: Knex, label: string, log?: Log): Promise<PostgresLock> {
  const name = `wamux ${randomUUID()}`
  const first = await take(main, name)
  if (first === 'taken') throw gatewayError('DATABASE_LOCKED', [label])
  let connection = first
  const released = new AbortController()
  const { signal } = released

  /** Resolves with whether another process has it in the end. */
  async function keep(): Promise<boolean> {
    for (;;) {
      await connection.ended
      if (signal.aborted) return false
      log?.warn({ database: label }, 'lost the lock on the database, taking it again')
      const again = await retake()
      if (!again) return false
      if (again === 'taken') {
        log?.fatal({ database: label }, 'another process has taken the database')
        return true
      }
      connection = again
      if (signal.aborted) await connection.end()
      else log?.info({ database: label }, 'has the lock on the database again')
    }
  }

  async function retake(): Promise<Held | 'taken' | undefined> {
    while (!signal.aborted) {
      try {
        return await take(main, name)
      } catch (error) {
        log?.debug({ database: label, reason: reasonOf(error) }, 'could not take the lock on the database')
        await wait(RETRY_MS, undefined, { signal }).catch(() => undefined)
      }
    }
    return undefined
  }

  const kept = keep()
  return {
    taken: new Promise((resolve) => {
      void kept.then((isTaken) => isTaken && resolve())
    }),
    async release() {
      released.abort()
      await connection.end()
      await kept
    },
  }
}

interface Held {
  readonly ended: Promise<void>
  end(): Promise<void>
}

/** Rejects when the server can't be asked, or has not freed our own old lock yet. */
async function take(main: Knex, name: string): Promise<Held | 'taken'> {
  // Beside the pool, which would give it to others, and with the pool's settings.
  const connection = (await main.client.acquireRawConnection()) as Connection
  const ended = new Promise<void>((resolve) => connection.once('end', resolve))
  const end = (): Promise<void> => connection.end().catch(() => undefined)
  try {
    await connection.query(`SET application_name = '${name}'; ${KEEPALIVE}`)
    const old = await connection.query(END_OLD)
    const { rows } = await connection.query(LOCK)
    if (rows[0]?.['held'] === true) return { ended, end }
    if (old.rows.length > 0) throw gatewayError('DATABASE_FAILED', [name, 'its old connection is ending'])
  } catch (error) {
    await end()
    throw error
  }
  await end()
  return 'taken'
}
