import type { Database } from '../../../kernel/db/database.ts'
import { pluginDb } from '../../../kernel/db/plugin-db.ts'
import type { Writer } from '../../../kernel/db/writer.ts'
import type { EventLog } from '../../../kernel/events/log.ts'
import type { BoundConsumer, ConsumerRunner, LogEvent, Ownership, Vault } from '../../../kernel/plugin.ts'
import { createRunner } from '../../../plugins/consumers/runner.ts'
import { silent } from './event-log.ts'

/** The runner of consumers on a log without a gateway. */
export interface TestRunner extends Omit<ConsumerRunner, 'start'> {
  start(consumer: BoundConsumer): Promise<void>
  /** What the bus does after a commit. */
  wake(): void
  /** Number of lines that each consumer has not handled. */
  lag(): Record<string, number>
}

export interface TestRunnerParts {
  database: Database
  writer: Writer
  log: EventLog
  vault: Vault
  ownership?: Ownership
}

export function createTestRunner({ database, writer, log, vault, ownership }: TestRunnerParts): TestRunner {
  const watchers = new Set<(events: readonly LogEvent[]) => void>()
  const events = {
    after: log.after,
    watch(watcher: (events: readonly LogEvent[]) => void) {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
  }
  const db = pluginDb(database, writer, 'consumers')
  const runner = createRunner({ db, vault, events, log: silent, ownership })
  return {
    ...runner,
    start: (consumer) => runner.start(consumer, log.own),
    wake() {
      for (const watcher of watchers) watcher([])
    },
    lag: () => Object.fromEntries(runner.list().map(({ name, lag }) => [name, lag])),
  }
}
