import type { Database } from '../db/open.ts'
import type { Writer } from '../db/writer.ts'
import { gatewayError } from '../errors.ts'
import type { Log } from '../types/driver.ts'
import type { ConsumerControl, LogEvent } from '../types/events.ts'
import { ALL_OWNED, type Ownership } from '../types/ownership.ts'
import { createConsumer, type RunningConsumer } from './consumer.ts'
import type { Reader } from './handling.ts'
import type { EventLog } from './log.ts'

export interface Consumers extends ConsumerControl {
  /** Starts a reader at its cursors; a new one starts at the end of the log. */
  start(reader: Reader): Promise<void>
  /** Makes every reader look for new lines. */
  wake(added?: readonly LogEvent[]): void
  /** This process serves a session now, or no longer. */
  changeOwner(session: string, isOwned: boolean): void
  /** Stores the cursors of sessions whose lines a reader does not get. */
  skip(): Promise<void>
  /** Number of lines that each reader has not handled, by its name. */
  lag(): Record<string, number>
  /** Waits for the batches under way; each cursor stays where it is committed. */
  stop(): Promise<void>
}

/**
 * Runs durable readers of the log: each gets every line of the sessions that this process serves at least once, in order
 * per session, and has a stored cursor in each session.
 */
export function createConsumers(
  database: Database,
  writer: Writer,
  eventLog: EventLog,
  log: Log,
  ownership: () => Ownership = () => ALL_OWNED,
): Consumers {
  const running = new Map<string, RunningConsumer>()
  const loops: Promise<void>[] = []

  async function startOf(consumer: string): Promise<number> {
    const stored = () => database.read('cursors').where({ consumer }).first()
    const row = await stored()
    if (row) return Number(row.seq)
    const seq = await eventLog.last()
    await writer.transact(async (trx) => {
      // Another process that starts at the same time may be first.
      const made = await trx('cursors').insert({ consumer, seq }, ['seq']).onConflict('consumer').ignore()
      if (made.length === 0) return
      // Of a plugin that was removed before.
      for (const table of ['lanes', 'dead_letters']) await trx(table).where({ consumer }).del()
    })
    return Number((await stored())?.seq ?? seq)
  }

  function find(name: string): RunningConsumer {
    const found = running.get(name)
    if (!found) throw gatewayError('ITEM_UNKNOWN', ['Consumer'])
    return found
  }

  return {
    async start(reader) {
      const start = await startOf(reader.name)
      const consumer = createConsumer({ reader, start, eventLog, writer, ownership, log })
      // First, so that it learns which sessions are gained meanwhile.
      running.set(reader.name, consumer)
      await consumer.open()
      loops.push(consumer.run())
    },
    wake() {
      for (const consumer of running.values()) consumer.wake()
    },
    changeOwner(session, isOwned) {
      for (const consumer of running.values()) isOwned ? consumer.gain(session) : consumer.lose(session)
    },
    async skip() {
      for (const consumer of running.values()) await consumer.skip()
    },
    list: () => [...running.values()].map((consumer) => consumer.state()),
    move: async (name, session, seq) => find(name).move(session, seq),
    retry: async (name, event) => find(name).retry(event),
    lag: () => Object.fromEntries([...running.values()].map((one) => [one.name, one.state().lag])),
    async stop() {
      for (const consumer of running.values()) consumer.stop()
      await Promise.all(loops)
    },
  }
}
