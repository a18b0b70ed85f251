import { gatewayError, type RouteBuilder, type Static, T, type Viewer } from 'wamux/plugin'
import { AttemptView } from './delivery/attempt-log.ts'
import { EndpointHealth } from './delivery/health.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import type { DeliveryDeps } from './routes-deliveries.ts'

const Query = T.Object({
  Id: T.String({ minLength: 1, format: 'id', description: 'Id of the event' }),
  Endpoint: T.Optional(T.String({ format: 'id', description: 'Id of one webhook; all of them when absent' })),
})
const Attempts = T.Object({ Attempts: T.Array(AttemptView) })
const EXAMPLE = { Id: 'evt_fe5r7qaxkwpwlxn2o3wyq2mgcv' }
const ATTEMPTS =
  'Oldest first, at most 200, as far back as the event log goes. Answers are kept only for failed attempts.'
const Healths = T.Object({ Endpoints: T.Array(EndpointHealth) })

/** The attempts to deliver one event, and the state of deliveries to each webhook. */
export const attemptRoutes = <D extends DeliveryDeps>(r: RouteBuilder<D>) => [
  r.get('/webhook/attempts', {
    isSensitive: true,
    summary: 'List the attempts to deliver one event',
    description: ATTEMPTS,
    access: 'token',
    example: EXAMPLE,
    chain: { uses: { Id: 'event' } },
    body: Query,
    response: Attempts,
    async handle({ body, session, viewer }, deps) {
      const { endpoints, webhookService } = deps
      const all = body.Endpoint ? [await webhookService.find(session, body.Endpoint)] : endpoints.of(session)
      return { Attempts: await attemptsOf(deps, all, body.Id, viewer) }
    },
  }),
  r.get('/webhook/health', {
    isSensitive: true,
    summary: "Read the state of deliveries to the session's webhooks",
    description: 'What waits, what failed, the circuit breaker, and the last deliveries of each.',
    access: 'token',
    response: Healths,
    async handle({ session }, deps) {
      return { Endpoints: await healthOf(deps, deps.endpoints.of(session)) }
    },
  }),
  r.get('/webhook/global/attempts', {
    summary: 'List the attempts to deliver one event to the webhooks of all sessions',
    description: ATTEMPTS,
    access: 'admin',
    example: EXAMPLE,
    chain: { uses: { Id: 'event' } },
    body: Query,
    response: Attempts,
    async handle({ body, viewer }, deps) {
      const { endpoints, webhookService } = deps
      const all = body.Endpoint ? [await webhookService.find(undefined, body.Endpoint)] : endpoints.global()
      return { Attempts: await attemptsOf(deps, all, body.Id, viewer) }
    },
  }),
  r.get('/webhook/global/health', {
    summary: 'Read the state of deliveries to the webhooks of all sessions',
    description: 'What waits, what failed, the circuit breaker, and the last deliveries of each.',
    access: 'admin',
    response: Healths,
    async handle(_, deps) {
      return { Endpoints: await healthOf(deps, deps.endpoints.global()) }
    },
  }),
]

async function attemptsOf(
  { events, attemptLog }: Pick<DeliveryDeps, 'events' | 'attemptLog'>,
  endpoints: readonly Endpoint[],
  id: string,
  viewer: Viewer,
): Promise<Static<typeof AttemptView>[]> {
  const line = await events.find(id, viewer)
  if (!line) throw gatewayError('ITEM_UNKNOWN', ['Event'])
  const listed = await attemptLog.list(
    endpoints.map(({ id }) => id),
    [line.seq],
  )
  const main = endpoints.find(({ isMain }) => isMain)?.id
  return listed.map((one) => (one.Endpoint === main ? { ...one, Endpoint: 'main' } : one))
}

async function healthOf({ health }: Pick<DeliveryDeps, 'health'>, endpoints: readonly Endpoint[]) {
  return Promise.all(endpoints.filter(({ url }) => url).map(health.of))
}
