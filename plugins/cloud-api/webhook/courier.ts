import {
  ALL_OWNED,
  createKeyedQueue,
  type GatewayServices,
  isGatewayError,
  type Kernel,
  type LogEvent,
  type Ownership,
  withTimeout,
} from 'wamux/plugin'
import type { CloudConfig } from '../config.ts'
import type { Backlog, Held, HeldRow } from './backlog.ts'
import type { Bodies } from './bodies.ts'
import { createGains } from './gains.ts'
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
  /** Whether the session was gained, and its webhook and what waits for it are not read yet. */
  isOpening(session: string): boolean
  /** Tries everything that waits in a session now. */
  hurry(session: string): void
  /** Makes the dead letters of a session wait again, and tries everything now. */
  retry(session: string): Promise<void>
  /** Removes the webhook of a session and what waits for it; resolves with whether there was one. */
  remove(session: string): Promise<boolean>
  /** Why the last body was not accepted; '' when none waits. */
  lastError(session: string): string
  /** Of the sessions of this process; the posts are counted since it started. */
  tally(): Tally
  start(): Promise<void>
  stop(): Promise<void>
}

export interface Tally {
  readonly posts: Readonly<Record<Outcome, number>>
  /** Bodies that are not accepted yet, those on their way included. */
  readonly waiting: number
  /** When the oldest of them was stored, milliseconds since 1970; undefined when none waits. */
  readonly since: number | undefined
  readonly dead: number
}

/** `unreachable`: the receiver did not answer, or with a status that says that it is down. */
export type Outcome = 'accepted' | 'refused' | 'unreachable'

interface Deps extends Kernel<CloudConfig>, Pick<GatewayServices, 'httpClient' | 'sessionSettings'> {
  ownership?: Ownership | undefined
  hooks: Hooks
  backlog: Backlog
  bodies: Bodies
}

const DAY_MS = 24 * 3_600_000
/** Chats of a session that are delivered side by side. */
const SLOTS = 16
/** A session that is given to another process waits for so long for the posts under way, which would be repeated there. */
const GRACE_MS = 2_000

export function createCourier(deps: Deps): Courier {
  const { config, log, httpClient, sessionSettings, hooks, backlog, bodies, ownership = ALL_OWNED } = deps
  const sessions = new Map<string, Lanes>()
  const dead = new Map<string, number>()
  const posts: Record<Outcome, number> = { accepted: 0, refused: 0, unreachable: 0 }
  const stopping = new AbortController()
  const slots = createKeyedQueue()
  const gains = createGains({
    ownership,
    async open(session) {
      // What waits is dropped where there is no webhook.
      await Promise.all([hooks.read(session), sessionSettings.ready(session)])
      await load(session)
    },
    close: (session) => withTimeout(forget(session), GRACE_MS, () => undefined),
    failed: (error) => log.error({ err: error }, 'reading what waits for a Cloud API webhook failed'),
  })

  function lanesOf(session: string): Lanes {
    const known = sessions.get(session)
    if (known) return known
    const made = createLanes((lane) => {
      const slot = `${session} ${slotOf(lane)}`
      const work = slots.run(slot, () => drain(session, made, lane))
      return work.catch((error: unknown) => {
        // The process that serves the session now delivers it.
        if (isGatewayError(error) && error.code === 'FENCED') return
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
    const failure = await post(httpClient, hook, body, config.timeoutMs, stopping.signal)
    if (!stopping.signal.aborted) posts[outcomeOf(failure)] += 1
    return failure
  }

  /** Delivers a lane that waits, oldest first, until it is empty or fails. */
  async function drain(session: string, lanes: Lanes, lane: Lane): Promise<void> {
    for (let held = lane.head(); held; held = lane.head()) {
      if (stopping.signal.aborted || !ownership.owns(session)) return
      const body = await backlog.body(held)
      const failure = body === undefined ? undefined : await attempt(session, body)
      if (failure && !stopping.signal.aborted && ownership.owns(session))
        return give(session, lanes, lane, held, failure)
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
      dead.set(session, (dead.get(session) ?? 0) + 1)
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

  /** Keeps nothing of a session in memory. */
  async function forget(session: string): Promise<void> {
    const lanes = sessions.get(session)
    sessions.delete(session)
    dead.delete(session)
    await lanes?.stop()
  }

  async function load(session?: string): Promise<void> {
    for (const [owned, count] of await backlog.dead(session))
      if (ownership.owns(owned)) dead.set(owned, count)
    for (const row of await backlog.load(session)) {
      const lanes = lanesOf(row.session)
      if (ownership.owns(row.session) && !lanes.has(row.seq, row.part)) lanes.add(row.lane, row)
    }
  }

  return {
    async handle(events) {
      const session = events[0]?.session ?? ''
      // What waits is older.
      await gains.ready(session)
      if (!hooks.of(session) || !sessionSettings.isOn(session, 'cloud-api')) return
      const known = lanesOf(session)
      const fresh: (HeldRow & { body: string })[] = []
      for (const event of events) {
        const { seq, lane } = event
        for (const [part, body] of (await bodies.of(event)).entries())
          if (!known.has(seq, part)) fresh.push({ session, seq, part, lane, since: Date.now(), body })
      }
      await backlog.add(fresh)
      // The session may have been lost and gained meanwhile: its lanes are others then.
      await gains.ready(session)
      const lanes = lanesOf(session)
      for (const { body: _, ...row } of fresh) if (!lanes.has(row.seq, row.part)) lanes.add(row.lane, row)
    },
    isOpening: gains.isPending,
    hurry: (session) => sessions.get(session)?.hurry(),
    async retry(session) {
      await backlog.revive(session)
      dead.delete(session)
      await load(session)
      sessions.get(session)?.hurry()
    },
    async remove(session) {
      const wasThere = await hooks.remove(session)
      void forget(session)
      await backlog.clear(session)
      return wasThere
    },
    lastError: (session) => sessions.get(session)?.error ?? '',
    tally() {
      const all = [...sessions.values()]
      const since = Math.min(...all.map((lanes) => lanes.since ?? Number.POSITIVE_INFINITY))
      return {
        posts,
        waiting: sum(all.map(({ size }) => size)),
        since: Number.isFinite(since) ? since : undefined,
        dead: sum(dead.values()),
      }
    },
    async start() {
      // First: a session may be gained while the tables are read.
      gains.start()
      await hooks.load()
      await load()
    },
    async stop() {
      await gains.stop()
      stopping.abort(new Error('the gateway stops'))
      await Promise.all([...sessions.values()].map((lanes) => lanes.stop()))
      await slots.idle()
    },
  }
}

function outcomeOf(failure: Failure | undefined): Outcome {
  if (!failure) return 'accepted'
  return failure.isDown ? 'unreachable' : 'refused'
}

function sum(counts: Iterable<number>): number {
  return [...counts].reduce((total, count) => total + count, 0)
}

function slotOf({ name }: Lane): number {
  return [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % SLOTS
}
