import { isStorageError } from '../db/storage-error.ts'
import { reasonOf } from '../errors.ts'
import type { Log } from '../types/driver.ts'
import type { Events, GatewaySignals, LogEvent, NewEvent, Recording, Signal } from '../types/events.ts'
import type { Write } from '../types/storage.ts'
import type { EventLog } from './log.ts'

type SignalName = keyof GatewaySignals
export type Translator = (signal: Signal) => Recording | undefined | Promise<Recording | undefined>
export type Handler = (event: LogEvent) => void | Promise<void>

/** Signals in, log lines out: translates, commits, then tells who listens in memory. */
export interface Bus extends Pick<Events, 'raise' | 'watch'> {
  translate(plugin: string, name: SignalName, translator: Translator): void
  on(plugin: string, type: string, handler: Handler): void
  /** Signals that a plugin's translators failed on since the start. */
  failuresOf(plugin: string): number
  /** Resolves when every raise and handler begun before the call has ended. */
  drain(): Promise<void>
}

/** The end of what a session has under way: logging comes first, handlers follow in the same order. */
interface Tail {
  queued: Promise<unknown>
  handled: Promise<unknown>
}

export function createBus(eventLog: EventLog, log: Log): Bus {
  const translators = new Map<SignalName, { plugin: string; run: Translator }[]>()
  const handlers = new Map<string, { plugin: string; run: Handler }[]>()
  const watchers = new Set<(events: readonly LogEvent[]) => void>()
  const tails = new Map<string, Tail>()
  const failures = new Map<string, number>()

  async function record(signal: Signal): Promise<{ events: NewEvent[]; writes: Write[] }> {
    const events: NewEvent[] = []
    const writes: Write[] = []
    for (const { plugin, run } of translators.get(signal.name) ?? []) {
      try {
        const recording = await run(signal)
        events.push(...(recording?.events ?? []))
        writes.push(...(recording?.writes ?? []))
      } catch (error) {
        // It may succeed once the database answers: without its part nothing may be marked as done.
        if (isStorageError(error)) throw error
        // A plugin that can't read a signal must not make the others lose it.
        failures.set(plugin, (failures.get(plugin) ?? 0) + 1)
        log.error({ plugin, signal: signal.name, err: error }, 'translator failed')
      }
    }
    return { events, writes }
  }

  async function tell(events: readonly LogEvent[]): Promise<void> {
    for (const watcher of watchers) watcher(events)
    for (const event of events) {
      for (const { plugin, run } of handlers.get(event.type) ?? []) {
        try {
          await run(event)
        } catch (error) {
          log.error({ plugin, event: event.id, type: event.type, reason: reasonOf(error) }, 'handler failed')
        }
      }
    }
  }

  return {
    translate: (plugin, name, run) => push(translators, name, { plugin, run }),
    on: (plugin, type, run) => push(handlers, type, { plugin, run }),
    failuresOf: (plugin) => failures.get(plugin) ?? 0,

    raise(session, name, data, writes = [], fence) {
      const tail = tails.get(session) ?? { queued: Promise.resolve(), handled: Promise.resolve() }
      const signal: Signal = { name, session, time: new Date().toISOString(), data }
      // The next signal may be translated once this one is handed to the writer, which keeps its order;
      // waiting for the commit too would allow one event a commit.
      const queued = tail.queued
        .then(() => record(signal))
        .then((recording) => ({
          committed: eventLog.append(session, recording.events, [...recording.writes, ...writes], fence),
        }))
      const committed = queued.then((entry) => entry.committed)
      // Watchers look after a failure too: a commit whose answer was lost may have logged something.
      const handled = tail.handled.then(() => committed.then(tell, () => tell([])))
      const next: Tail = { queued: queued.then(settle, settle), handled }
      tails.set(session, next)
      void handled.then(() => {
        if (tails.get(session) === next) tails.delete(session)
      })
      return committed
    },

    watch(listener) {
      watchers.add(listener)
      return () => watchers.delete(listener)
    },
    async drain() {
      await Promise.all([...tails.values()].map((tail) => tail.handled))
    },
  }
}

const settle = (): void => undefined

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  map.set(key, [...(map.get(key) ?? []), value])
}
