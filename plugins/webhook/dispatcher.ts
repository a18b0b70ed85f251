import { setMaxListeners } from 'node:events'
import type { GatewayServices, Log, Sessions } from 'wamux/plugin'
import { attempt, type Outcome } from './attempt.ts'
import type { WebhookConfig } from './config.ts'
import { type Courier, createCourier } from './courier.ts'
import type { Deliveries, Delivery } from './deliveries.ts'
import type { Endpoints } from './endpoints.ts'
import { createGates, hostOf, type Turn } from './gates.ts'
import type { Lane } from './lanes.ts'
import type { Verdicts } from './verdict.ts'

/** A courier for each endpoint, and what they share: hosts, and the room in memory. */
export interface Dispatcher {
  /** Begins with what the table holds. */
  start(): void
  /** Entered and committed, in order. Those that may not be new, or not pending, are read from the table. */
  take(deliveries: readonly Delivery[], isNew: boolean): void
  /** Begins again at the oldest row: something about the endpoint or its past has changed. */
  rewind(endpoint: string): void
  /** One attempt outside the queue. */
  attempt(delivery: Delivery): Promise<Outcome>
  stop(): Promise<void>
}

interface Deps {
  config: WebhookConfig
  deliveries: Deliveries
  endpoints: Endpoints
  verdicts: Verdicts
  http: GatewayServices['http']
  sessions: Sessions
  attachments?: GatewayServices['attachments'] | undefined
  log: Log
}

/** Rows that are read into memory, of all endpoints and of one; a backlog of any size stays in the table. */
const ROOM = { all: 2_048, one: 256, least: 16 }
/** New rows, which need not be read, in memory: of a loud stream a second's worth. */
const FRESH = 4_096
/** Requests under way have this long to end when the gateway stops. */
const GRACE_MS = 2_000

export function createDispatcher(deps: Deps): Dispatcher {
  const { config, deliveries, endpoints, verdicts, http, sessions, attachments, log } = deps
  const couriers = new Map<string, Courier>()
  const gates = createGates(config, turn)
  const cut = new AbortController()
  // One for each request under way.
  setMaxListeners(0, cut.signal)

  function courierOf(id: string): Courier {
    const courier =
      couriers.get(id) ??
      createCourier({
        endpoint: id,
        parallel: config.parallel,
        deliveries,
        log,
        room: () => room(id),
        roomForNew: () => share(FRESH),
        admits: () => gates.of(urlOf(id)).admits(),
        attempt: (delivery) => send(delivery),
        record: (delivery, outcome, lane) => record(delivery, outcome, lane),
      })
    couriers.set(id, courier)
    return courier
  }
  const urlOf = (id: string): string => endpoints.byId(id)?.url ?? ''

  function room(id: string): number {
    const { state, url } = endpoints.byId(id) ?? {}
    const gate = gates.of(url ?? '').state
    if (!url || state !== 'active' || gate === 'open') return 0
    if (gate === 'half-open') return 1
    return Math.max(ROOM.least, Math.min(ROOM.one, share(ROOM.all)))
  }

  /** Of each endpoint that has something in memory, and of one more. */
  function share(all: number): number {
    let busy = 1
    for (const courier of couriers.values()) if (courier.held() > 0) busy += 1
    return Math.floor(all / busy)
  }

  /** A host turned: those who deliver to it drop what they hold, or go on at once. */
  function turn(host: string, to: Turn): void {
    log.warn({ host, state: to }, 'the breaker of a webhook host turned')
    for (const [id, courier] of [...couriers]) {
      if (hostOf(urlOf(id)) !== host) continue
      if (to === 'probing') courier.wake()
      else courier.rewind(true)
    }
  }

  async function send(delivery: Delivery): Promise<Outcome> {
    const endpoint = endpoints.byId(delivery.endpoint)
    if (!endpoint) return { kind: 'cut' }
    const { url } = endpoint
    gates.of(url).begin()
    const session = await sessions.byId(endpoint.session)
    if (!session) {
      // Deleted, and its rows with it.
      couriers.delete(endpoint.id)
      gates.tell(url, 'unknown')
      return { kind: 'cut' }
    }
    const outcome = await attempt({
      http,
      config,
      session,
      endpoint,
      delivery,
      attachments,
      signal: cut.signal,
    })
    if (outcome.kind === 'cut') gates.tell(url, 'unknown')
    else gates.tell(url, outcome.kind === 'failed' && outcome.isDown ? 'down' : 'up')
    if (outcome.kind === 'failed' && outcome.isDown) moveToEnd(endpoint.id)
    return outcome
  }

  /** Of many endpoints on one host another one gets the next probe. */
  function moveToEnd(id: string): void {
    const courier = couriers.get(id)
    if (!courier) return
    couriers.delete(id)
    couriers.set(id, courier)
  }

  function record(delivery: Delivery, outcome: Outcome, lane: Lane): ReturnType<Verdicts['record']> {
    const now = Date.now()
    if (outcome.kind === 'failed' && lane.stuckSince === 0) lane.stuckSince = now
    const { laneBlockSeconds } = config
    const isStuck = laneBlockSeconds > 0 && now - lane.stuckSince > laneBlockSeconds * 1000
    const mayPass = isStuck && gates.of(urlOf(delivery.endpoint)).state === 'closed'
    return verdicts.record(delivery, outcome, mayPass)
  }

  return {
    start() {
      for (const { id } of endpoints.all()) courierOf(id).wake()
    },
    take(entered, isNew) {
      const byEndpoint = new Map<string, Delivery[]>()
      for (const delivery of entered) {
        const list = byEndpoint.get(delivery.endpoint) ?? []
        byEndpoint.set(delivery.endpoint, list)
        list.push(delivery)
      }
      for (const [id, list] of byEndpoint) {
        if (isNew) courierOf(id).take(list)
        else courierOf(id).look()
      }
    },
    rewind: (id) => courierOf(id).rewind(true),
    attempt: send,
    async stop() {
      gates.stop()
      const late = setTimeout(() => cut.abort(), GRACE_MS)
      await Promise.all([...couriers.values()].map((courier) => courier.stop()))
      clearTimeout(late)
    },
  }
}
