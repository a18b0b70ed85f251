import type { Events, Log, Sessions } from 'wamux/plugin'
import type { Archive } from './archive.ts'
import type { Outcome } from './attempt.ts'
import type { WebhookConfig } from './config.ts'
import type { Verdict } from './courier.ts'
import type { Deliveries, Delivery } from './deliveries.ts'
import type { Endpoint } from './endpoint.ts'
import type { Endpoints } from './endpoints.ts'
import { schedule } from './schedule.ts'

/** What an outcome means for the delivery and for its endpoint. */
export interface Verdicts {
  /** @param mayPass the head has held its lane back for long enough, and its host works. */
  record(delivery: Delivery, outcome: Outcome, mayPass: boolean): Promise<Verdict>
}

interface Deps {
  config: WebhookConfig
  deliveries: Deliveries
  archive: Archive
  endpoints: Endpoints
  sessions: Sessions
  events: Events
  log: Log
}

const DAY_MS = 24 * 3_600_000
const GONE = 'status 410: the receiver wants no more'

export function createVerdicts(deps: Deps): Verdicts {
  const { config, deliveries, archive, endpoints, sessions, events, log } = deps

  async function done(delivery: Delivery, endpoint: Endpoint | undefined, status: number): Promise<Verdict> {
    const { attempts } = delivery
    await deliveries.change(delivery, { state: 'done', attempts: attempts + 1, last: String(status) })
    if (endpoint?.failingSince) await endpoints.change(endpoint.id, { failingSince: 0 })
    return { kind: 'next' }
  }

  async function failed(
    delivery: Delivery,
    outcome: Outcome & { kind: 'failed' },
    mayPass: boolean,
  ): Promise<Verdict> {
    const now = Date.now()
    const { step, nextAt } = schedule(config, delivery, { now, after: outcome.after, random: Math.random() })
    const change = { attempts: delivery.attempts + 1, step, last: outcome.reason.slice(0, 500) }
    const { endpoint, seq } = delivery
    log.warn(
      { endpoint, seq, attempt: change.attempts, reason: outcome.reason, nextAt },
      nextAt === undefined ? 'delivery is dead' : 'delivery failed',
    )
    if (nextAt === undefined) {
      await deliveries.change(delivery, { ...change, state: 'dead' })
      return { kind: 'next' }
    }
    if (!mayPass) {
      await deliveries.change(delivery, { ...change, nextAt })
      return { kind: 'park', until: nextAt }
    }
    const lane = `${delivery.line.lane} ${seq}`
    await deliveries.change(delivery, { ...change, nextAt, lane })
    return { kind: 'late', until: nextAt, delivery: { ...delivery, ...change, nextAt, lane } }
  }

  /** Counts the time of nothing but failures, and ends it. */
  async function watch(endpoint: Endpoint, reason: string): Promise<void> {
    const now = Date.now()
    if (!endpoint.failingSince) await endpoints.change(endpoint.id, { failingSince: now })
    else if (endpoint.state === 'active' && now - endpoint.failingSince > config.disableDays * DAY_MS) {
      const why = `nothing was taken for ${config.disableDays} days; last: ${reason}`
      await endpoints.change(endpoint.id, { state: 'disabled', reason: why })
      await tell(endpoint, why)
    }
  }

  /** The receiver answered 410: it wants nothing more of this session. */
  async function close(endpoint: Endpoint): Promise<void> {
    if (endpoint.state === 'gone' || !endpoint.url) return
    await endpoints.change(endpoint.id, { state: 'gone', reason: GONE })
    if (endpoint.isFirst) await sessions.update(endpoint.session, { webhook: '' })
    await archive.change(endpoint.id, { state: 'pending' }, { state: 'dead', last: GONE })
    await tell(endpoint, GONE)
  }

  async function tell({ id, session, isFirst, url }: Endpoint, reason: string): Promise<void> {
    log.warn({ session, endpoint: id, reason }, 'a webhook was switched off')
    await events.raise(session, 'webhook.disabled', { endpoint: isFirst ? 'main' : id, url, reason })
  }

  return {
    async record(delivery, outcome, mayPass) {
      const endpoint = endpoints.byId(delivery.endpoint)
      if (outcome.kind === 'done') return done(delivery, endpoint, outcome.status)
      if (outcome.kind === 'cut' || !endpoint) return { kind: 'park', until: Date.now() + 1_000 }
      if (outcome.kind === 'failed') {
        await watch(endpoint, outcome.reason)
        return failed(delivery, outcome, mayPass)
      }
      const attempts = delivery.attempts + 1
      await deliveries.change(delivery, { state: 'dead', attempts, last: GONE })
      await close(endpoint)
      return { kind: 'next' }
    },
  }
}
