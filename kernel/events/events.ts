import { createInterval } from '../async/interval.ts'
import type { Database } from '../db/open.ts'
import type { Writer } from '../db/writer.ts'
import type { Log } from '../types/driver.ts'
import type { EventDeclaration, Events, GatewaySignals } from '../types/events.ts'
import { ALL_OWNED, type Ownership } from '../types/ownership.ts'
import type { Vault } from '../types/storage.ts'
import type { Running } from '../wiring/lifecycle.ts'
import type { Prepared } from '../wiring/prepare.ts'
import { type Bus, createBus, type Handler, type Translator } from './bus.ts'
import { createClasses } from './classes.ts'
import { type Consumers, createConsumers } from './consumers.ts'
import { createEventLog } from './log.ts'

export interface EventsParts {
  database: Database
  writer: Writer
  log: Log
  prepared: readonly Prepared[]
  retentionDays: number
  vault: Vault
  /** Asked when the plugins run; absent for a process that is alone on its database. */
  ownership?: () => Ownership
}

export interface RunningEvents extends Events {
  /** Connects the plugins' translators and handlers and starts their consumers. */
  start(running: readonly Running[]): Promise<void>
  failuresOf: Bus['failuresOf']
  readonly consumers: Consumers
  /** Waits for the signals and batches that are being processed. */
  stop(): Promise<void>
}

const HOUR_MS = 3_600_000
/** A task that one process runs for all; sessions have no brackets. */
const RETENTION = '(retention)'

/** The event side of the kernel: log, bus, consumers, retention. */
export function createEvents(parts: EventsParts): RunningEvents {
  const { database, writer, log, ownership = () => ALL_OWNED } = parts
  const declared = new Map<string, EventDeclaration>(
    parts.prepared.flatMap((entry) => Object.entries(entry.events)),
  )
  const eventLog = createEventLog(database, writer, declared, parts.vault, () => ownership() !== ALL_OWNED)
  const bus = createBus(eventLog, log)
  const consumers = createConsumers(database, writer, eventLog, log, ownership)
  const classes = (): string[] =>
    [...new Set([...declared.values()].map((event) => event.class))].filter((c) => c !== 'All').sort()

  let stopWatching = (): void => undefined

  async function prune(): Promise<void> {
    await consumers.skip()
    if (!ownership().owns(RETENTION)) return
    const dropped = await eventLog.prune(Date.now() - parts.retentionDays * 24 * HOUR_MS)
    if (dropped > 0) log.info({ dropped }, 'old events dropped')
  }
  const retention = createInterval(HOUR_MS, prune, (error) =>
    log.error({ err: error }, 'event retention failed'),
  )

  return {
    raise: bus.raise,
    watch: bus.watch,
    failuresOf: bus.failuresOf,
    consumers,
    after: eventLog.after,
    before: eventLog.before,
    seqAt: eventLog.seqAt,
    lines: eventLog.lines,
    find: eventLog.find,
    bounds: eventLog.bounds,
    lane: eventLog.lane,
    classes,
    ...createClasses(classes),

    async start(running) {
      stopWatching = ownership().watch((session, isOwned) => {
        eventLog.forget(session)
        consumers.changeOwner(session, isOwned)
      })
      for (const { entry, container } of running) {
        if (!container) continue
        const { translate = {}, on = {}, consume } = entry.plugin.spec
        const deps = container.cradle as never
        for (const [name, translator] of Object.entries(translate)) {
          const run = translator as (signal: unknown, deps: unknown) => ReturnType<Translator>
          bus.translate(entry.name, name as keyof GatewaySignals, (signal) => run(signal, deps))
        }
        for (const [type, handler] of Object.entries(on)) {
          const run = handler as (event: unknown, deps: unknown) => ReturnType<Handler>
          bus.on(entry.name, type, (event) => run(event, deps))
        }
        if (!consume) continue
        const { handle, sessions, batch = 200, ...rest } = consume
        await consumers.start({
          ...rest,
          name: entry.name,
          batch,
          handle: (events) => handle(events, deps),
          ...(sessions ? { sessions: (session) => sessions(session, deps) } : {}),
        })
      }
      bus.watch(consumers.wake)
      retention.start()
    },

    async stop() {
      await retention.stop()
      stopWatching()
      await bus.drain()
      await consumers.stop()
    },
  }
}
