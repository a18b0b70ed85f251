import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Knex } from 'knex'
import { gatewayError, reasonOf } from '../../errors.ts'
import type { Log } from '../../types/driver.ts'

export interface PostgresLock {
  /** Resolves when another process holds the lock; never while this one does. */
  readonly lost: Promise<void>
  release(): Promise<void>
}

/** The part of a pg connection that is used here. */
interface Connection {
  query(sql: string): Promise<{ rows: Record<string, unknown>[] }>
  once(event: 'end', listener: () => void): unknown
  end(): Promise<void>
}

const RETRY_MS = 1_000
const HELD_ELSEWHERE = 'held elsewhere'

// Makes the server release the lock of a vanished machine within half a minute instead of two hours.
const KEEPALIVE =
  'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3'

/** One lock per schema: its tables are for one process, or for those that share it. */
const lockOf = (isShared: boolean): string =>
  `SELECT pg_try_advisory_lock${isShared ? '_shared' : ''}(hashtext('wamux'), hashtext(coalesce(current_schema(), ''))) AS held`

/** After a network failure the server may still hold the lost connection, and with it the lock. */
const END_OLD =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = current_setting('application_name') AND pid <> pg_backend_pid()"

export interface LockOptions {
  label: string
  isShared: boolean
  /** How the process is named among the connections of the database. */
  application?: string | undefined
  log?: Log | undefined
}

/**
 * Makes this process the only user of a PostgreSQL schema, or one of those that share it, by an advisory lock on a dedicated
 * connection that is held for life. The server releases the lock with the connection. A lost connection is reopened until it
 * has the lock, or until another process does.
 */
export async function holdPostgres(
  main: Knex,
  { label, isShared, application = 'wamux', log }: LockOptions,
): Promise<PostgresLock> {
  const name = nameOf(application)
  const first = await acquire(main, name, isShared)
  if (first === HELD_ELSEWHERE) throw gatewayError('DATABASE_LOCKED', [label])
  let connection = first
  const released = new AbortController()
  const { signal } = released

  /** Resolves true when another process has the lock, false when it was released. */
  async function hold(): Promise<boolean> {
    for (;;) {
      await connection.ended
      if (signal.aborted) return false
      log?.warn({ database: label }, 'database lock lost, acquiring it again')
      const again = await reacquire()
      if (!again) return false
      if (again === HELD_ELSEWHERE) {
        log?.fatal({ database: label }, 'database lock is held by another process')
        return true
      }
      connection = again
      if (signal.aborted) await connection.end()
      else log?.info({ database: label }, 'database lock acquired again')
    }
  }

  async function reacquire(): Promise<LockConnection | typeof HELD_ELSEWHERE | undefined> {
    while (!signal.aborted) {
      try {
        return await acquire(main, name, isShared)
      } catch (error) {
        log?.debug({ database: label, reason: reasonOf(error) }, 'database lock not acquired')
        await wait(RETRY_MS, undefined, { signal }).catch(() => undefined)
      }
    }
    return undefined
  }

  const held = hold()
  return {
    lost: new Promise((resolve) => {
      void held.then((isLost) => isLost && resolve())
    }),
    async release() {
      released.abort()
      await connection.end()
      await held
    },
  }
}

/** Unique, since it ends the other connections of that name; PostgreSQL keeps 63 bytes. */
function nameOf(application: string): string {
  return `${application.slice(0, 45)} lock ${randomBytes(6).toString('hex')}`
}

interface LockConnection {
  readonly ended: Promise<void>
  end(): Promise<void>
}

/** Rejects when the server does not answer, or has not yet released the old lock of this process. */
async function acquire(
  main: Knex,
  name: string,
  isShared: boolean,
): Promise<LockConnection | typeof HELD_ELSEWHERE> {
  // With the pool's settings, but outside the pool, which would lend it to others.
  const connection = (await main.client.acquireRawConnection()) as Connection
  const ended = new Promise<void>((resolve) => connection.once('end', resolve))
  const end = (): Promise<void> => connection.end().catch(() => undefined)
  try {
    await connection.query(`SET application_name = '${name}'; ${KEEPALIVE}`)
    const old = await connection.query(END_OLD)
    const { rows } = await connection.query(lockOf(isShared))
    if (rows[0]?.['held'] === true) return { ended, end }
    if (old.rows.length > 0)
      throw gatewayError('DATABASE_FAILED', [name, 'the server is still ending its old connection'])
  } catch (error) {
    await end()
    throw error
  }
  await end()
  return HELD_ELSEWHERE
}
