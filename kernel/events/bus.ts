import { createKeyedQueue } from '../async/keyed-queue.ts'
import { isStorageError, reasonOf } from '../errors.ts'
import type { Log } from '../types/driver.ts'
import type {
  Events,
  GatewaySignals,
  LogEvent,
  NewEvent,
  RaiseOptions,
  Recording,
  Signal,
} from '../types/events.ts'
import type { Write } from '../types/storage.ts'
import { type EventLog, jsonOf } from './log.ts'
import { unreadableEvent } from './unreadable.ts'

type SignalName = keyof GatewaySignals
export type Translator = (signal: Signal) => Recording | undefined | Promise<Recording | undefined>
export type Handler = (event: LogEvent) => void | Promise<void>

/** Turns signals into log lines: translates, commits, then notifies watchers and handlers in memory. */
export interface Bus extends Pick<Events, 'raise' | 'unreadable' | 'watch'> {
  /** @param unreadable the class of the event `Unreadable` where the translator fails. */
  translate(plugin: string, name: SignalName, translator: Translator, unreadable?: string): void
  on(plugin: string, type: string, handler: Handler): void
  /** Number of signals whose translation a plugin has failed since the start. */
  failuresOf(plugin: string): number
  /** Resolves when every raise and handler begun before the call has ended. */
  drain(): Promise<void>
}

export function createBus(eventLog: EventLog, log: Log): Bus {
  const translators = new Map<
    SignalName,
    { plugin: string; run: Translator; unreadable: string | undefined }[]
  >()
  const handlers = new Map<string, { plugin: string; run: Handler }[]>()
  const watchers = new Set<(events: readonly LogEvent[]) => void>()
  /** Per session: events are logged in the order of their signals, and handlers run in the same order. */
  const recording = createKeyedQueue()
  const notifying = createKeyedQueue()
  const failures = new Map<string, number>()

  type Written = NewEvent & { readonly json?: string }
  type Content = { events: Written[]; writes: Write[] }

  async function record(signal: Signal, options: RaiseOptions | undefined): Promise<Content> {
    const events: Written[] = []
    const writes: Write[] = []
    for (const { plugin, run, unreadable } of translators.get(signal.name) ?? []) {
      try {
        const recording = await run(signal)
        const written = (recording?.events ?? []).map((event) => ({ ...event, json: jsonOf(event, options) }))
        events.push(...written)
        writes.push(...(recording?.writes ?? []))
      } catch (error) {
        // The translator may succeed once the database answers, so nothing is marked as done without its events.
        if (isStorageError(error)) throw error
        // A signal that one plugin can't translate must still reach the others.
        failures.set(plugin, (failures.get(plugin) ?? 0) + 1)
        log.error({ plugin, signal: signal.name, err: error }, 'translator failed')
        events.push(unreadableEvent({ signal, plugin, error, as: unreadable, origin: options?.origin?.() }))
      }
    }
    return { events, writes }
  }

  /** The next signal is recorded once this one is queued at the writer, which keeps the order. */
  function commit(
    session: string,
    contentOf: () => Content | Promise<Content>,
    writes: readonly Write[],
    options: RaiseOptions | undefined,
  ): Promise<LogEvent[]> {
    // Waiting for the commit too would allow only one event per commit, so its promise is passed on in an object.
    const queued = recording.run(session, async () => {
      const { events, writes: own } = await contentOf()
      return { committed: eventLog.append(session, events, [...own, ...writes], options) }
    })
    const committed = queued.then((entry) => entry.committed)
    // Watchers also run after a failure: a commit whose answer was lost may have logged events.
    void notifying.run(session, () => committed.then(notify, () => notify([])))
    return committed
  }

  async function notify(events: readonly LogEvent[]): Promise<void> {
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
    translate: (plugin, name, run, unreadable) => push(translators, name, { plugin, run, unreadable }),
    on: (plugin, type, run) => push(handlers, type, { plugin, run }),
    failuresOf: (plugin) => failures.get(plugin) ?? 0,

    raise(session, name, data, writes = [], options) {
      const signal: Signal = { name, session, time: new Date().toISOString(), data }
      return commit(session, () => record(signal, options), writes, options)
    },
    unreadable(session, name, error, writes = [], options) {
      const as = translators.get(name)?.find(({ unreadable }) => unreadable)?.unreadable
      const signal = { name, time: new Date().toISOString() }
      log.error({ signal: name, err: error }, 'received content is not readable')
      const event = unreadableEvent({ signal, error, as, origin: options?.origin?.() })
      return commit(session, () => ({ events: [event], writes: [] }), writes, options)
    },

    watch(listener) {
      watchers.add(listener)
      return () => watchers.delete(listener)
    },
    drain: notifying.idle,
  }
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  map.set(key, [...(map.get(key) ?? []), value])
}
