import { ALL_OWNED, type Kernel, type Ownership } from 'wamux/plugin'
import type { WebhookConfig } from '../config.ts'
import { type HostBreakers, hostOf } from '../dispatch/host-breakers.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { Archive } from './archive.ts'
import type { Backlog, Backlogs } from './backlogs.ts'

interface Deps extends Pick<Kernel<WebhookConfig>, 'config' | 'db'> {
  endpoints: Endpoints
  archive: Archive
  backlogs: Backlogs
  hostBreakers: HostBreakers
  ownership?: Ownership | undefined
}

type Cause = keyof typeof REMEDIES

const REMEDIES = {
  'webhook-failing':
    'Start or correct the receiver: pending deliveries then follow automatically. If the address is wrong, set a new one.',
  'webhook-disabled':
    'It failed for days. Correct the receiver, then set the webhook again: what waits is then delivered.',
  'webhook-gone':
    'The receiver answered 410, so nothing is sent to it. Set the webhook again if that was a mistake, or else remove it.',
  'webhook-paused':
    'It is paused, and what waits is deleted with the event log after its retention. Resume it to deliver everything in order.',
  'webhook-late': 'The receiver accepts too slowly: make it answer first and work afterwards.',
} as const

/** Failed attempts of one delivery after which a person is needed: a receiver that restarts fails fewer. */
const ATTEMPTS = 3
/** A pause of this time may have been forgotten. */
const PAUSED_MS = 24 * 3_600_000

/** Webhooks that do not get their events, or get them late. */
export function issuesOf(deps: Deps) {
  const { endpoints, backlogs, config, db, ownership = ALL_OWNED } = deps
  return {
    async list() {
      const own = endpoints.all().filter(({ session }) => !session || ownership.owns(session))
      const waiting = await backlogs.byEndpoint()
      const found = own.map(async (endpoint) => {
        const backlog = waiting.get(endpoint.id)
        const fault = await faultOf(endpoint, deps)
        if (fault) return [toIssue(endpoint, backlog, fault)]
        const isPaused = endpoint.state === 'paused'
        const limit = isPaused ? PAUSED_MS : config.lateSeconds * 1000
        if (!endpoint.url || !backlog || db.now() - backlog.since < limit) return []
        const reason = `its oldest event waits since ${new Date(backlog.since).toISOString()}`
        const cause = isPaused ? 'webhook-paused' : 'webhook-late'
        return [toIssue(endpoint, backlog, { cause, reason, since: backlog.since })]
      })
      return (await Promise.all(found)).flat()
    },
  }
}

interface Fault {
  readonly cause: Cause
  readonly reason: string
  readonly since: number
}

async function faultOf(
  { id, url, state, reason, failingSince }: Endpoint,
  { archive, hostBreakers }: Deps,
): Promise<Fault | undefined> {
  if (state === 'gone') {
    // Its pending deliveries were given up at that moment.
    const [last] = await archive.list([id], { state: 'dead', isNewestFirst: true }, 1)
    return { cause: 'webhook-gone', reason, since: Date.parse(last?.At ?? '') || failingSince }
  }
  if (!url || failingSince === 0 || state === 'paused') return undefined
  if (state === 'disabled') return { cause: 'webhook-disabled', reason, since: failingSince }
  const [oldest] = await archive.list([id], { state: 'pending' }, 1)
  const isStuck = !oldest || oldest.Attempts >= ATTEMPTS || hostBreakers.of(url).state === 'open'
  const why = oldest?.Last || 'it does not answer'
  return isStuck ? { cause: 'webhook-failing', reason: why, since: failingSince } : undefined
}

function toIssue(
  { id, url, session, isMain }: Endpoint,
  backlog: Backlog | undefined,
  { cause, reason, since }: Fault,
) {
  const place = new URLSearchParams({ ...(session ? { session } : {}), endpoint: isMain ? 'main' : id })
  const isWarning = cause === 'webhook-late' || cause === 'webhook-paused'
  const route = isMain ? 'POST /webhook' : session ? 'POST /webhook/endpoints' : 'POST /webhook/global'
  return {
    cause,
    level: isWarning ? ('warning' as const) : ('error' as const),
    subject: hostOf(url).replace(/^https?:\/\//, ''),
    session,
    reason,
    remedy: REMEDIES[cause],
    ...(cause === 'webhook-late' ? {} : { request: route }),
    screen: `/deliveries?${place}`,
    screenOfMany: '/deliveries',
    since,
    waiting: backlog?.count ?? 0,
  }
}
