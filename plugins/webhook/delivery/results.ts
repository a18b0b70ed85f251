import type { Events, Log, Sessions } from 'wamux/plugin'
import type { WebhookConfig } from '../config.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { Archive } from './archive.ts'
import type { AttemptResult, Failed } from './attempt.ts'
import type { AttemptLog } from './attempt-log.ts'
import type { Completions } from './completions.ts'
import { type Deliveries, partsColumn } from './deliveries.ts'
import type { Delivery } from './delivery.ts'
import type { Refusals, Verdict } from './refusals.ts'
import type { Tallies } from './tallies.ts'
import { traceparentOf } from './traceparent.ts'

/** Records the result of an attempt for the delivery and for its endpoint. */
export interface Results {
  /**
   * A failure is committed when it resolves; a success is committed later, together with others.
   *
   * @param mayDetach whether later deliveries of the lane may overtake this one if it failed. @returns the next step of its
   * lane.
   */
  record(delivery: Delivery, result: AttemptResult, mayDetach: boolean): Promise<LaneStep>
}

export type LaneStep =
  /** Done or dead-lettered: the next delivery may start. */
  | { kind: 'advance' }
  /** Retried at that time; the lane waits for it. */
  | { kind: 'retry'; at: number }
  /** Retried at that time, in its own lane. */
  | { kind: 'detach'; at: number; delivery: Delivery }

interface Deps {
  config: WebhookConfig
  deliveries: Deliveries
  completions: Completions
  archive: Archive
  attemptLog: AttemptLog
  endpoints: Endpoints
  sessions: Sessions
  events: Events
  log: Log
  tallies: Tallies
  refusals: Refusals
}

const DAY_MS = 24 * 3_600_000
const GONE = 'status 410: the receiver accepts no further deliveries'
/** Pause before the second attempt at a body refused by a receiver that accepts others. */
const SOON_MS = 1_000

export function createResults(deps: Deps): Results {
  const { config, deliveries, completions, archive, attemptLog, endpoints } = deps
  const { sessions, events, log, tallies, refusals } = deps

  async function done(
    delivery: Delivery,
    endpoint: Endpoint | undefined,
    result: AttemptResult & { kind: 'done' },
  ): Promise<LaneStep> {
    completions.add(delivery, result)
    refusals.accepted(delivery.endpoint)
    refusals.forget(delivery)
    if (endpoint) {
      const tally = tallies.of(endpoint.url)
      tally.delivered += 1
      tally.lagMs += Date.now() - delivery.entered
    }
    if (endpoint?.failingSince) await endpoints.change(endpoint.id, { failingSince: 0 })
    return { kind: 'advance' }
  }

  async function failed(
    delivery: Delivery,
    result: AttemptResult & Failed,
    mayDetach: boolean,
  ): Promise<LaneStep> {
    if (result.isPartial) refusals.accepted(delivery.endpoint)
    // With 0 no event of a chat is ever overtaken.
    const isJudged = result.isRefused && config.laneBlockSeconds > 0
    const verdict = isJudged ? await refusals.refused(delivery) : 'unknown'
    const { step, nextAt } = nextTry(delivery, result, verdict)
    const { at, ms, reason } = result
    const attempts = delivery.attempts + 1
    const last = (verdict === 'dead' ? `${reason}: refused while others are accepted` : reason).slice(0, 500)
    const change = { attempts, step, last, at, ms, ...partsColumn(result.parts) }
    const failure = attemptLog.failed(delivery, result, reason.slice(0, 500))
    const { endpoint, seq } = delivery
    log.warn(
      { endpoint, seq, attempt: attempts, reason, nextAt, traceparent: traceparentOf(delivery.line) },
      nextAt === undefined ? 'delivery dead-lettered' : 'delivery failed',
    )
    if (nextAt === undefined) {
      // A delivery given up only because of its age still shows that the receiver accepted nothing.
      if (verdict === 'dead') refusals.forget(delivery)
      await deliveries.change(delivery, { ...change, state: 'dead' }, [failure])
      return { kind: 'advance' }
    }
    if (!mayDetach && verdict !== 'pass') {
      await deliveries.change(delivery, { ...change, nextAt }, [failure])
      return { kind: 'retry', at: nextAt }
    }
    const lane = `${delivery.line.lane} ${seq}`
    await deliveries.change(delivery, { ...change, nextAt, lane }, [failure])
    const { parts } = result
    return { kind: 'detach', at: nextAt, delivery: { ...delivery, attempts, step, nextAt, lane, parts } }
  }

  function nextTry(delivery: Delivery, { after, isFinal }: Failed, verdict: Verdict): NextAttempt {
    if (isFinal || verdict === 'dead') return { step: delivery.step, nextAt: undefined }
    const now = Date.now()
    const planned = scheduleRetry(config, delivery, { now, after, random: Math.random() })
    if (verdict !== 'soon' || planned.nextAt === undefined) return planned
    return { step: planned.step, nextAt: Math.min(planned.nextAt, now + SOON_MS) }
  }

  /** Disables an endpoint whose deliveries have all failed for the configured number of days. */
  async function trackFailures(endpoint: Endpoint, reason: string): Promise<void> {
    const now = Date.now()
    if (!endpoint.failingSince) await endpoints.change(endpoint.id, { failingSince: now })
    else if (endpoint.state === 'active' && now - endpoint.failingSince > config.disableDays * DAY_MS) {
      const why = `no delivery succeeded for ${config.disableDays} days; last: ${reason}`
      await endpoints.change(endpoint.id, { state: 'disabled', reason: why })
      await notifyDisabled(endpoint, why)
    }
  }

  /** The receiver answered 410: dead-letters all that is pending. */
  async function markGone(endpoint: Endpoint): Promise<void> {
    if (endpoint.state === 'gone' || !endpoint.url) return
    // Rejects if another process now serves the session, which then gets the same answer from the receiver.
    if (endpoint.isMain) await sessions.update(endpoint.session, { webhook: '' })
    await endpoints.change(endpoint.id, { state: 'gone', reason: GONE })
    await archive.change(endpoint.id, { state: 'pending' }, { state: 'dead', last: GONE })
    await notifyDisabled(endpoint, GONE)
  }

  async function notifyDisabled({ id, session, isMain, url }: Endpoint, reason: string): Promise<void> {
    log.warn({ session, endpoint: id, reason }, 'webhook disabled')
    // An endpoint of all sessions has no event log.
    if (!session) return
    await events.raise(session, 'webhook.disabled', { endpoint: isMain ? 'main' : id, url, reason })
  }

  return {
    async record(delivery, result, mayDetach) {
      const endpoint = endpoints.byId(delivery.endpoint)
      if (result.kind === 'done') return done(delivery, endpoint, result)
      // The rows of a deleted session are deleted with it.
      if (result.kind === 'aborted' && !(await sessions.byId(delivery.line.session)))
        return { kind: 'advance' }
      if (result.kind === 'aborted' || !endpoint) return { kind: 'retry', at: Date.now() + 1_000 }
      if (result.kind === 'failed') {
        await trackFailures(endpoint, result.reason)
        const step = await failed(delivery, result, mayDetach)
        tallies.of(endpoint.url)[step.kind === 'advance' ? 'dead' : 'failed'] += 1
        return step
      }
      const attempts = delivery.attempts + 1
      const { at, ms } = result
      const failure = attemptLog.failed(delivery, result, 'status 410')
      await deliveries.change(delivery, { state: 'dead', attempts, last: GONE, at, ms }, [failure])
      tallies.of(endpoint.url).dead += 1
      await markGone(endpoint)
      return { kind: 'advance' }
    },
  }
}

/** The position of a failed delivery in the schedule; `nextAt` is undefined after the last attempt. */
interface NextAttempt {
  readonly step: number
  readonly nextAt: number | undefined
}

/**
 * The time of the next attempt, milliseconds since 1970. An attempt before its scheduled time (made because the host
 * had just recovered) does not advance the schedule: an unstable host must not exhaust all attempts within minutes.
 */
function scheduleRetry(
  { retrySeconds }: Pick<WebhookConfig, 'retrySeconds'>,
  { step, nextAt }: Pick<Delivery, 'step' | 'nextAt'>,
  { now, after = 0, random }: { now: number; after?: number | undefined; random: number },
): NextAttempt {
  if (nextAt > now) return { step, nextAt: Math.max(nextAt, now + after) }
  const seconds = retrySeconds[step]
  if (seconds === undefined) return { step, nextAt: undefined }
  const jittered = seconds * 1000 * (0.8 + 0.4 * random)
  // Whole milliseconds: PostgreSQL rejects a fraction for a bigint.
  return { step: step + 1, nextAt: now + Math.round(Math.max(after, jittered)) }
}
