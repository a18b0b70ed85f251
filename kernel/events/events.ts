import { createInterval } from '../async/interval.ts'
import { type Attempt, attempting } from '../attempt.ts'
import type { Database } from '../db/database.ts'
import { pluginDb } from '../db/plugin-db.ts'
import type { Writer } from '../db/writer.ts'
import type { ConsumerControl } from '../types/consumers.ts'
import type { Log } from '../types/driver.ts'
import type { EventDeclaration, Events, GatewaySignals, LogEvent } from '../types/events.ts'
import type { Ownership } from '../types/ownership.ts'
import type { SessionVault } from '../vault/vault.ts'
import type { Activity } from '../watchdog/activity.ts'
import type { Running } from '../wiring/lifecycle.ts'
import type { Prepared } from '../wiring/prepare.ts'
import { type Bus, createBus, type Handler, type Translator } from './bus.ts'
import { createClasses } from './classes.ts'
import { createRunner } from './consumers/runner.ts'
import { createEventLog } from './log.ts'

export interface EventsParts {
  database: Database
  writer: Writer
  log: Log
  prepared: readonly Prepared[]
  retentionDays: number
  vault: SessionVault
  /** Called once the plugins run. */
  ownership: () => Ownership
  activity: Pick<Activity, 'numberOf' | 'run'>
}

export interface RunningEvents extends Events {
  readonly consumers: ConsumerControl
  /** Connects the plugins' translators and handlers and starts their consumers. */
  start(running: readonly Running[]): Promise<void>
  failuresOf: Bus['failuresOf']
  /** Waits for the signals and batches in progress. */
  stop(): Promise<void>
}

/** Names for the watchdog. */
export const translationOf = (signal: string): string => `translate ${signal}`
export const handlingOf = (type: string): string => `on ${type}`

const HOUR_MS = 3_600_000
/** A task that one process runs for all; session ids have no parentheses. */
const RETENTION = '(retention)'

/** The event side of the kernel: log, bus, consumers, retention. */
export function createEvents(parts: EventsParts): RunningEvents {
  const { database, writer, log, ownership, vault, activity } = parts
  const declared = new Map<string, EventDeclaration>(
    parts.prepared.flatMap((entry) => Object.entries(entry.events)),
  )
  const eventLog = createEventLog(database, writer, declared, vault, async () => ownership().horizon?.())
  const bus = createBus(eventLog, log)
  const { after } = eventLog
  const db = pluginDb(database, writer, 'kernel')
  const consumers = createRunner({
    db,
    log,
    vault,
    events: { after, watch: bus.watch },
    lines: eventLog.own,
    ownership,
  })
  const classes = (): string[] =>
    [...new Set([...declared.values()].map((event) => event.class))].filter((c) => c !== 'All').sort()

  let stopWatching = (): void => undefined

  async function prune(): Promise<void> {
    await consumers.skip()
    if (!ownership().owns(RETENTION)) return
    const dropped = await eventLog.prune(Math.floor(Date.now() - parts.retentionDays * 24 * HOUR_MS))
    if (dropped > 0) log.info({ dropped }, 'old events dropped')
  }
  const retention = createInterval(HOUR_MS, prune, (error) =>
    log.error({ err: error }, 'event retention failed'),
  )

  return {
    consumers,
    raise: bus.raise,
    unreadable: bus.unreadable,
    watch: bus.watch,
    failuresOf: bus.failuresOf,
    after,
    before: eventLog.before,
    seqAt: eventLog.seqAt,
    lines: eventLog.lines,
    find: eventLog.find,
    bounds: eventLog.bounds,
    lane: eventLog.lane,
    classes,
    ...createClasses(classes),

    async start(running) {
      stopWatching = ownership().watch(eventLog.forget)
      for (const { entry, container } of running) {
        if (!container) continue
        const { translate = {}, unreadable = {}, on = {}, consume } = entry.plugin.spec
        const deps = container.cradle as never
        for (const [name, translator] of Object.entries(translate)) {
          const run = translator as (signal: unknown, deps: unknown) => ReturnType<Translator>
          const work = activity.numberOf(entry.name, translationOf(name)) ?? 0
          const signalName = name as keyof GatewaySignals
          bus.translate(
            entry.name,
            signalName,
            (signal) => activity.run(work, signal.session, () => run(signal, deps)),
            unreadable[signalName],
          )
        }
        for (const [type, handler] of Object.entries(on)) {
          const run = handler as (event: unknown, deps: unknown) => ReturnType<Handler>
          const work = activity.numberOf(entry.name, handlingOf(type)) ?? 0
          bus.on(entry.name, type, (event) => activity.run(work, event.session, () => run(event, deps)))
        }
        if (!consume) continue
        const { handle, sessions, ...rest } = consume
        const bound = {
          ...rest,
          name: entry.name,
          handle: (events: readonly LogEvent[], attempt: Attempt) =>
            attempting(attempt, () => handle(events, deps, attempt)),
          ...(sessions ? { sessions: (session: string) => sessions(session, deps) } : {}),
        }
        await consumers.start(bound)
      }
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
