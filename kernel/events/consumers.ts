import { type AutoResetEvent, createAutoResetEvent } from '../async/auto-reset-event.ts'
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
  /** Makes every reader look for new lines. */
  wake(added?: readonly LogEvent[]): void
  /** Number of lines that each reader has not handled, by its name. */
  lag(): Record<string, number>
  /** Waits for the batches under way; each cursor stays where it is committed. */
  stop(): Promise<void>
}

const RETRY_MS = { first: 200, most: 30_000 }

/** Runs durable readers of the log: each gets every line at least once, in order, and has a stored cursor. */
export function createConsumers(database: Database, writer: Writer, eventLog: EventLog, log: Log): Consumers {
  const loops: { wakeUp: AutoResetEvent; done: Promise<void> }[] = []
  const cursors = new Map<string, number>()
  let newest = 0
  let stopping = false

  function cursorWrite(name: string, seq: number): Write {
    return { table: 'cursors', key: ['consumer'], mode: 'put', rows: [{ consumer: name, seq }] }
  }

  async function cursorOf(name: string): Promise<number> {
    const row = await database.read('cursors').where({ consumer: name }).first()
    if (row) return Number(row.seq)
    const last = await eventLog.last()
    await writer.write([cursorWrite(name, last)])
    return last
  }

  async function run(reader: Reader, from: number, wakeUp: AutoResetEvent): Promise<void> {
    let seq = from
    let failures = 0
    while (!stopping) {
      try {
        const events = await eventLog.after(seq, reader.batch)
        const last = events.at(-1)
        if (!last) {
          await wakeUp.wait()
          continue
        }
        const writes = (await reader.handle(events)) ?? []
        const moved = [...writes, cursorWrite(reader.name, last.seq)]
        if (writes.length > 0) await writer.write(moved)
        // A cursor that a crash loses only repeats the batch.
        else writer.write(moved, { isDeferred: true }).catch((error: unknown) => cursorLost(reader, error))
        seq = last.seq
        cursors.set(reader.name, seq)
        failures = 0
      } catch (error) {
        const wait = Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** failures)
        failures += 1
        log.error({ consumer: reader.name, after: seq, wait, reason: reasonOf(error) }, 'consumer failed')
        await wakeUp.wait(wait)
      }
    }
  }

  function cursorLost({ name }: Reader, error: unknown): void {
    log.error({ consumer: name, reason: reasonOf(error) }, 'cursor write failed')
  }

  return {
    async start(reader) {
      const wakeUp = createAutoResetEvent()
      const from = await cursorOf(reader.name)
      cursors.set(reader.name, from)
      newest = Math.max(newest, await eventLog.last())
      loops.push({ wakeUp, done: run(reader, from, wakeUp) })
    },
    wake(added = []) {
      newest = Math.max(newest, added.at(-1)?.seq ?? 0)
      for (const { wakeUp } of loops) wakeUp.set()
    },
    lag: () => Object.fromEntries([...cursors].map(([name, seq]) => [name, Math.max(0, newest - seq)])),
    async stop() {
      stopping = true
      for (const { wakeUp } of loops) wakeUp.set()
      await Promise.all(loops.map((loop) => loop.done))
    },
  }
}
