import type { Database } from '../../../kernel/db/database.ts'
import { pluginDb } from '../../../kernel/db/plugin-db.ts'
import type { Writer } from '../../../kernel/db/writer.ts'
import { type ConsumerRunner, createRunner } from '../../../kernel/events/consumers/runner.ts'
import type { EventLog } from '../../../kernel/events/log.ts'
import { ALL_OWNED, type LogEvent, type Ownership, type Vault } from '../../../kernel/plugin.ts'
import { silent } from './event-log.ts'

/** The runner of consumers on a log without a gateway. */
export interface TestRunner extends ConsumerRunner {
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

export function createTestRunner({
  database,
  writer,
  log,
  vault,
  ownership = ALL_OWNED,
}: TestRunnerParts): TestRunner {
  const watchers = new Set<(events: readonly LogEvent[]) => void>()
  const events = {
    after: log.after,
    watch(watcher: (events: readonly LogEvent[]) => void) {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
  }
  const db = pluginDb(database, writer, 'kernel')
  const runner = createRunner({ db, vault, events, lines: log.own, log: silent, ownership: () => ownership })
  return {
    ...runner,
    wake() {
      for (const watcher of watchers) watcher([])
    },
    lag: () => Object.fromEntries(runner.list().map(({ name, lag }) => [name, lag])),
  }
}
