import {
  ALL_OWNED,
  createKeyedQueue,
  type GatewayServices,
  type Kernel,
  type LogEvent,
  type Ownership,
} from 'wamux/plugin'
import type { CloudConfig } from '../config.ts'
import type { Backlog, Held, HeldRow } from './backlog.ts'
import type { Bodies } from './bodies.ts'
import type { Hooks } from './hooks.ts'
import { aloneOf, createLanes, isAlone, type Lane, type Lanes } from './lanes.ts'
import { type Failure, post } from './post.ts'

/**
 * Delivers the bodies of events, in order in each chat, until they are accepted; a chat that waits holds no other back,
 * unless the receiver is down.
 */
export interface Courier {
  /** Resolves when the bodies are stored. The events are of one session. */
  handle(events: readonly LogEvent[]): Promise<void>
  /** Tries everything that waits in a session now. */
  hurry(session: string): void
  /** Reads what waits again, such as revived dead letters. */
  reload(session: string): Promise<void>
  /** Why the last body was not accepted; '' when none waits. */
  lastError(session: string): string
  start(): Promise<void>
  stop(): Promise<void>
}

interface Deps extends Kernel<CloudConfig>, Pick<GatewayServices, 'httpClient'> {
  ownership?: Ownership | undefined
  hooks: Hooks
  backlog: Backlog
  bodies: Bodies
}

const DAY_MS = 24 * 3_600_000
/** Chats of a session that are delivered side by side. */
const SLOTS = 16

export function createCourier(deps: Deps): Courier {
  const { config, log, httpClient, hooks, backlog, bodies, background, ownership = ALL_OWNED } = deps
  const sessions = new Map<string, Lanes>()
  const stopping = new AbortController()
  const slots = createKeyedQueue()
  let stopWatching = (): void => undefined

  function lanesOf(session: string): Lanes {
    const known = sessions.get(session)
    if (known) return known
    const made = createLanes((lane) => {
      const slot = `${session} ${slotOf(lane)}`
      const work = slots.run(slot, () => drain(session, made, lane))
      void work.catch((error: unknown) => {
        log.error({ err: error, session }, 'delivering what waits for a Cloud API webhook failed')
        made.failed(lane, { reason: 'the storage failed', isDown: true })
      })
    })
    sessions.set(session, made)
    return made
  }

  async function attempt(session: string, body: string): Promise<Failure | undefined> {
    const hook = hooks.of(session)
    // The webhook was removed meanwhile.
    if (!hook) return undefined
    return post(httpClient, hook, body, config.timeoutMs, stopping.signal)
  }

  /** Delivers a lane that waits, oldest first, until it is empty or fails. */
  async function drain(session: string, lanes: Lanes, lane: Lane): Promise<void> {
    for (let held = lane.head(); held; held = lane.head()) {
      if (stopping.signal.aborted || !ownership.owns(session)) return
      const body = await backlog.body(held)
      const failure = body === undefined ? undefined : await attempt(session, body)
      if (failure && !stopping.signal.aborted) return give(session, lanes, lane, held, failure)
      if (failure) return
      await backlog.remove(held)
      lanes.accepted(lane, held)
    }
  }

  /** Waits on, lets the rest of its chat pass, or gives it up. */
  async function give(
    session: string,
    lanes: Lanes,
    lane: Lane,
    held: Held,
    failure: Failure,
  ): Promise<void> {
    const { refusedAt = Date.now() } = lane
    if (Date.now() - held.since > config.giveUpDays * DAY_MS) {
      await backlog.bury(held)
      log.error({ session, seq: held.seq, reason: failure.reason }, 'Cloud API webhook dead-lettered')
      lanes.accepted(lane, held)
      return drain(session, lanes, lane)
    }
    const isBlocking = !failure.isDown && Date.now() - refusedAt > config.blockSeconds * 1000
    if (isBlocking && !isAlone(lane)) {
      await backlog.move(held, aloneOf(held))
      lanes.detach(lane, held, failure)
      return drain(session, lanes, lane)
    }
    log.warn({ session, reason: failure.reason }, 'Cloud API webhook not accepted')
    lanes.failed(lane, failure)
  }

  async function load(session?: string): Promise<void> {
    for (const row of await backlog.load(session)) {
      const lanes = lanesOf(row.session)
      if (ownership.owns(row.session) && !lanes.has(row.seq, row.part)) lanes.add(row.lane, row)
    }
  }

  return {
    async handle(events) {
      const [first] = events
      if (!first || !hooks.of(first.session)) return
      const lanes = lanesOf(first.session)
      const fresh: (HeldRow & { body: string })[] = []
      for (const event of events) {
        const { session, seq, lane } = event
        for (const [part, body] of (await bodies.of(event)).entries())
          if (!lanes.has(seq, part)) fresh.push({ session, seq, part, lane, since: Date.now(), body })
      }
      await backlog.add(fresh)
      for (const { body: _, ...row } of fresh) lanes.add(row.lane, row)
    },
    hurry: (session) => sessions.get(session)?.hurry(),
    reload: load,
    lastError: (session) => sessions.get(session)?.error ?? '',
    async start() {
      await load()
      stopWatching = ownership.watch((session, isOwned) => {
        sessions.get(session)?.stop()
        sessions.delete(session)
        if (isOwned) background(load(session), 'reading what waits for a Cloud API webhook')
      })
    },
    async stop() {
      stopWatching()
      stopping.abort(new Error('the gateway stops'))
      for (const lanes of sessions.values()) lanes.stop()
      await slots.idle()
    },
  }
}

function slotOf({ name }: Lane): number {
  return [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % SLOTS
}
