import { ALL_OWNED, type ConsumerRunner, gatewayError, type Kernel, type Ownership } from 'wamux/plugin'
import { createConsumer, type RunningConsumer } from './consumer.ts'
import { openCursors } from './cursors.ts'

export type RunnerParts = Pick<Kernel<unknown>, 'db' | 'log' | 'vault'> & {
  events: Pick<Kernel<unknown>['events'], 'after' | 'watch'>
  ownership?: Ownership | undefined
}

/**
 * Runs durable readers of the log: each gets every line of the sessions that this process serves at least once, in order
 * per session, and has a stored cursor in each session.
 */
export function createRunner({ db, events, log, ownership = ALL_OWNED, vault }: RunnerParts): ConsumerRunner {
  const running = new Map<string, RunningConsumer>()
  const loops: Promise<void>[] = []
  let unwatch: (() => void) | undefined

  function watch(): () => void {
    const unwatchLines = events.watch(() => {
      for (const consumer of running.values()) consumer.wake()
    })
    const unwatchOwners = ownership.watch((session, isOwned) => {
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
    async start(reader, lines) {
      unwatch ??= watch()
      const cursors = await openCursors({ db, vault }, reader.name)
      const consumer = createConsumer({ reader, cursors, lines, db, events, ownership, log })
      // First, so that it learns which sessions are gained meanwhile.
      running.set(reader.name, consumer)
      await consumer.open()
      loops.push(consumer.run())
    },
    async skip() {
      for (const consumer of running.values()) await consumer.skip()
    },
    list: () => [...running.values()].map((consumer) => consumer.state()),
    move: async (name, session, seq) => find(name).move(session, seq),
    retry: async (name, event) => find(name).retry(event),
    async stop() {
      unwatch?.()
      for (const consumer of running.values()) consumer.stop()
      await Promise.all(loops)
    },
  }
}
