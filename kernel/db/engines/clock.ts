import type { Knex } from 'knex'
import { clock } from '../../async/clock.ts'
import { createInterval } from '../../async/interval.ts'

/** A time common to all processes that share a database, independent of their own clocks. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  stop(): Promise<void>
}

/**
 * Quartz clocks drift apart by some milliseconds in this interval; a machine that was suspended is correct again after it.
 */
const READ_MS = 60_000

/** PostgreSQL's clock, extrapolated between two readings by the monotonic clock, which nobody can set. */
export async function openPostgresClock(database: Knex): Promise<Clock> {
  let offset = 0
  async function read(): Promise<void> {
    const asked = performance.now()
    const { rows } = await database.raw('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now')
    offset = Number(rows[0].now) - (asked + performance.now()) / 2
  }
  await read()
  // A failed reading does no harm: the next one follows soon.
  const reading = createInterval(READ_MS, read, () => undefined)
  reading.start()
  return { now: () => Math.round(performance.now() + offset + clock.aheadMs), stop: () => reading.stop() }
}

/** For the only process on its database. */
export const OWN_CLOCK: Clock = { now: () => Date.now(), stop: async () => undefined }
