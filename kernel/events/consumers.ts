import type { Database } from '../db/open.ts'
import type { Writer } from '../db/writer.ts'
import { reasonOf } from '../errors.ts'
import type { Log } from '../types/driver.ts'
import type { LogEvent } from '../types/events.ts'
import type { Write } from '../types/storage.ts'
import type { EventLog } from './log.ts'

export interface Reader {
  /** Names the cursor; stays the same over restarts. */
  name: string
  batch: number
  handle(events: readonly LogEvent[]): Promise<readonly Write[] | void>
}

export interface Consumers {
  /** Starts a reader at its cursor; a new one starts at the end of the log. */
  start(reader: Reader): Promise<void>
  /** There is something new. */
  wake(): void
  /** Waits for the batches in hand; the cursors stay where they are committed. */
  stop(): Promise<void>
}

const RETRY_MS = { first: 200, most: 30_000 }

/** Runs durable readers of the log: each sees every line at least once, in order, and keeps its place. */
export function createConsumers(database: Database, writer: Writer, eventLog: EventLog, log: Log): Consumers {
  const loops: { wake(): void; done: Promise<void> }[] = []
  let stopping = false

  function cursorWrite(name: string, seq: number): Write {
    return { table: 'cursors', key: ['consumer'], mode: 'put', rows: [{ consumer: name, seq }] }
  }

  async function place(name: string): Promise<number> {
    const row = await database.read('cursors').where({ consumer: name }).first()
    if (row) return Number(row.seq)
    const last = await eventLog.last()
    await writer.write([cursorWrite(name, last)])
    return last
  }

  async function run(reader: Reader, from: number, pause: (ms?: number) => Promise<void>): Promise<void> {
    let seq = from
    let failures = 0
    while (!stopping) {
      try {
        const events = await eventLog.after(seq, reader.batch)
        const last = events.at(-1)
        if (!last) {
          await pause()
          continue
        }
        const writes = (await reader.handle(events)) ?? []
        const moved = [...writes, cursorWrite(reader.name, last.seq)]
        if (writes.length > 0) await writer.write(moved)
        // Lost in a crash it only shows the batch again.
        else writer.later(moved).catch((error: unknown) => unplaced(reader, error))
        seq = last.seq
        failures = 0
      } catch (error) {
        const wait = Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** failures)
        failures += 1
        log.error({ consumer: reader.name, after: seq, wait, reason: reasonOf(error) }, 'consumer failed')
        await pause(wait)
      }
    }
  }

  function unplaced({ name }: Reader, error: unknown): void {
    log.error({ consumer: name, reason: reasonOf(error) }, 'the place of a consumer was not stored')
  }

  return {
    async start(reader) {
      const bell = createBell()
      const from = await place(reader.name)
      loops.push({ wake: bell.ring, done: run(reader, from, bell.pause) })
    },
    wake() {
      for (const loop of loops) loop.wake()
    },
    async stop() {
      stopping = true
      for (const loop of loops) loop.wake()
      await Promise.all(loops.map((loop) => loop.done))
    },
  }
}

/** A pause that ends when the bell rings, or after `ms` when given; a ring while awake is not forgotten. */
function createBell(): { ring(): void; pause(ms?: number): Promise<void> } {
  let rung = false
  let awake: (() => void) | undefined
  return {
    ring() {
      rung = true
      awake?.()
    },
    async pause(ms) {
      let timer: NodeJS.Timeout | undefined
      if (!rung) {
        await new Promise<void>((resolve) => {
          awake = resolve
          if (ms !== undefined) timer = setTimeout(resolve, ms)
        })
      }
      clearTimeout(timer)
      awake = undefined
      rung = false
    },
  }
}
