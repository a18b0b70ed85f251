import { gatewayError } from '../../errors.ts'
import type { ConsumerControl } from '../../types/consumers.ts'
import type { Log } from '../../types/driver.ts'
import type { Events } from '../../types/events.ts'
import type { Ownership } from '../../types/ownership.ts'
import type { PluginDb, Vault } from '../../types/storage.ts'
import type { OwnLines } from '../tail.ts'
import { createConsumer, type RunningConsumer } from './consumer.ts'
import { openCursors } from './cursors.ts'
import type { BoundConsumer } from './handling.ts'

export interface RunnerParts {
  db: PluginDb
  log: Log
  vault: Vault
  events: Pick<Events, 'after' | 'watch'>
  lines: OwnLines
  /** Asked when the first consumer starts. */
  ownership: () => Ownership
}

/** Runs the consumers of all plugins. */
export interface ConsumerRunner extends ConsumerControl {
  /** Starts a consumer at its cursors; a new one starts at the end of the log. Called when all plugins have started. */
  start(consumer: BoundConsumer): Promise<void>
  /** Stores the cursors of sessions whose lines a consumer does not receive: retention keeps unhandled lines. */
  skip(): Promise<void>
  /** Waits for the current batches; each cursor stays where it is committed. */
  stop(): Promise<void>
}

/**
 * Runs the `consume` of every plugin: each receives every event of the sessions that this process serves at least once, in
 * order per session, and has a stored cursor in each session.
 *
 * New events come from memory. A session that is behind has a catch-up (catch-ups.ts): its events are read from the table until it
 * has caught up. Sessions that failed together continue separately, with exponential back-off up to 30 seconds, and do not
 * delay each other. A consumer with `deadLetter` gives up an event after that many refusals (handling.ts). Commits wake the
 * consumers; a change of a session's owner opens or closes its catch-up.
 */
export function createRunner({ db, events, lines, log, ownership, vault }: RunnerParts): ConsumerRunner {
  const running = new Map<string, RunningConsumer>()
  let unwatch: (() => void) | undefined

  function watch(): () => void {
    const unwatchLines = events.watch(() => {
      for (const consumer of running.values()) consumer.wake()
    })
    const unwatchOwners = ownership().watch((session, isOwned) => {
      for (const consumer of running.values()) isOwned ? consumer.gain(session) : consumer.lose(session)
    })
    return () => {
      unwatchLines()
      unwatchOwners()
    }
  }

  function find(name: string): RunningConsumer {
    const found = running.get(name)
    if (!found) throw gatewayError('ITEM_UNKNOWN', ['Consumer'])
    return found
  }

  return {
    async start(reader) {
      unwatch ??= watch()
      const cursors = await openCursors({ db, vault }, reader.name)
      const consumer = createConsumer({ reader, cursors, lines, db, events, ownership: ownership(), log })
      // Listens first, to learn of sessions gained meanwhile.
      running.set(reader.name, consumer)
      await consumer.start()
    },
    async skip() {
      for (const consumer of running.values()) await consumer.skip()
    },
    list: () => [...running.values()].map((consumer) => consumer.state()),
    caughtUp: async (name) => find(name).caughtUp(),
    move: async (name, session, seq) => find(name).move(session, seq),
    retry: async (name, event) => find(name).retry(event),
    async stop() {
      unwatch?.()
      await Promise.all([...running.values()].map((consumer) => consumer.stop()))
    },
  }
}
