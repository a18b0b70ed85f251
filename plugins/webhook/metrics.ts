import type { Metric, PluginDb, Sample } from 'wamux/plugin'
import type { Backlog, Backlogs } from './delivery/backlogs.ts'
import type { DeliveryTally, Tallies } from './delivery/tallies.ts'
import type { Breaker } from './dispatch/breaker.ts'
import { type HostBreakers, hostOf } from './dispatch/host-breakers.ts'
import type { Endpoints } from './endpoints/endpoints.ts'

interface Deps {
  db: Pick<PluginDb, 'now'>
  backlogs: Backlogs
  tallies: Tallies
  hostBreakers: HostBreakers
  endpoints: Endpoints
}

const BREAKER: Readonly<Record<Breaker['state'], number>> = { closed: 0, 'half-open': 1, open: 2 }

/** By host, not by address, because addresses may contain secrets. */
export const metrics = (deps: Deps) => {
  const { tallies, hostBreakers } = deps
  return {
    wamux_webhook_attempts_total: {
      type: 'counter',
      help: 'Attempts to deliver, by host and outcome: delivered, failed (will be retried), dead (given up)',
      collect: () =>
        [...tallies.all()].flatMap(([host, tally]) =>
          (['delivered', 'failed', 'dead'] as const).map((outcome) => ({
            labels: { host, outcome },
            value: tally[outcome],
          })),
        ),
    },
    wamux_webhook_lag_seconds_total: {
      type: 'counter',
      help: 'Total seconds from event to delivery; divided by the number of deliveries, the mean lag',
      collect: () => byHost(tallies.all(), ({ lagMs }: DeliveryTally) => lagMs / 1000),
    },
    wamux_webhook_pending: {
      type: 'gauge',
      help: 'Pending deliveries, by host',
      collect: async () => byHost(await byHosts(deps), ({ count }) => count),
    },
    wamux_webhook_dead: {
      type: 'gauge',
      help: 'Dead letters, by host',
      collect: async () => byHost(await deadByHost(deps), (count) => count),
    },
    wamux_webhook_oldest_pending_seconds: {
      type: 'gauge',
      help: 'Age of the oldest pending delivery, by host',
      collect: async () => byHost(await byHosts(deps), ({ since }) => (deps.db.now() - since) / 1000),
    },
    wamux_webhook_breaker_state: {
      type: 'gauge',
      help: 'Circuit breaker of a host: 0 closed, 1 half-open, 2 open',
      collect: () => byHost(hostBreakers.all(), ({ state }: Breaker) => BREAKER[state]),
    },
  } satisfies Record<string, Metric>
}

function byHost<V>(values: ReadonlyMap<string, V>, measure: (value: V) => number): Sample[] {
  return [...values].map(([host, value]) => ({ labels: { host }, value: measure(value) }))
}

/** Pending deliveries by host. */
async function byHosts({ backlogs, endpoints }: Deps): Promise<Map<string, Backlog>> {
  const found = new Map<string, Backlog>()
  for (const [id, { count, since }] of await backlogs.byEndpoint()) {
    const host = hostOf(endpoints.byId(id)?.url ?? '')
    if (!host) continue
    const known = found.get(host) ?? { count: 0, since }
    found.set(host, { count: known.count + count, since: Math.min(known.since, since) })
  }
  return found
}

/** Dead letters, by host; 0 for the host of an endpoint without any. */
async function deadByHost({ backlogs, endpoints }: Deps): Promise<Map<string, number>> {
  const counts = await backlogs.deadByEndpoint()
  const found = new Map<string, number>()
  for (const { id, url } of endpoints.all()) {
    const host = hostOf(url)
    if (host) found.set(host, (found.get(host) ?? 0) + (counts.get(id) ?? 0))
  }
  return found
}
