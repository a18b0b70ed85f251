import { digits } from 'wamux/messaging'
import {
  gatewayError,
  type Kernel,
  pageOf,
  type RouteBuilder,
  type Session,
  type Static,
  T,
  type Viewer,
} from 'wamux/plugin'
import { type Archive, type Range, untried } from './delivery/archive.ts'
import type { AttemptResult } from './delivery/attempt.ts'
import type { AttemptLog } from './delivery/attempt-log.ts'
import type { EndpointHealth } from './delivery/health.ts'
import type { Missing } from './delivery/missing.ts'
import type { TestDeliveries } from './delivery/test-deliveries.ts'
import type { DeliveryAttempts } from './dispatch/attempts.ts'
import type { Dispatcher } from './dispatch/dispatcher.ts'
import type { Endpoints } from './endpoints/endpoints.ts'
import type { Formats } from './formats/formats.ts'
import { Time } from './time-range.ts'
import type { WebhookService } from './webhook-service.ts'

export type DeliveryDeps = Kernel<unknown> & {
  endpoints: Endpoints
  formats: Formats
  archive: Archive
  attemptLog: AttemptLog
  health: EndpointHealth
  missing: Missing
  testDeliveries: TestDeliveries
  attempts: DeliveryAttempts
  dispatcher: Dispatcher
  webhookService: WebhookService
}

const Endpoint = T.Optional(
  T.String({ format: 'id', description: 'Id of a further webhook; the main one when absent' }),
)
const Page = {
  State: T.Optional(T.Union([T.Literal('pending'), T.Literal('done'), T.Literal('dead')])),
  Endpoint: T.Optional(T.String({ format: 'id', description: 'Id of one webhook; all of them when absent' })),
  After: digits('Seq of the last delivery of the previous page'),
  Order: T.Optional(T.Enum(['oldest', 'newest'], { description: 'Sort order; oldest first when absent' })),
  Limit: digits('Page size, at most 1000; 100 when absent'),
  Since: Time('Only events logged from then on'),
  Until: Time('Only events logged until then'),
}
export const PageBody = T.Object(Page)
export const DeliveryPage = T.Object({
  Deliveries: T.Array(
    T.Object({
      Seq: T.Integer(),
      Id: T.String({ description: 'Id of the event' }),
      Type: T.String(),
      Session: T.String({ description: 'Id of the session' }),
      Endpoint: T.String(),
      State: T.String({ description: 'pending, done or dead' }),
      Attempts: T.Integer(),
      NextAt: T.String({
        description: 'Time of the next attempt; empty for as soon as possible or never',
      }),
      Last: T.String({ description: 'Status or error of the last attempt' }),
      Timestamp: T.String({ description: 'Time of the event' }),
      At: T.String({ description: 'When the last attempt ended; empty before the first' }),
      Milliseconds: T.Optional(T.Integer({ description: 'Duration of the last attempt' })),
    }),
  ),
  Next: T.Integer(),
})
export const LIST = 'As far back as the event log goes. Pass `Next` as `After` to get the next page.'

export const ReplayBody = T.Object({
  Endpoint,
  Id: T.Optional(T.String({ minLength: 1, format: 'id', description: 'One event' })),
  State: T.Optional(T.Union([T.Literal('dead'), T.Literal('done')])),
  FromSeq: T.Optional(T.Integer({ minimum: 0 })),
  ToSeq: T.Optional(T.Integer({ minimum: 0 })),
  Since: Time('Start of the range'),
  Until: Time('End of the range'),
  Error: T.Optional(
    T.String({
      minLength: 1,
      maxLength: 500,
      description:
        'Only what is not delivered yet and had an attempt that failed with this error, from `GET /webhook/failures`. The range is then the time of these attempts',
    }),
  ),
  Missing: T.Optional(
    T.Boolean({
      description:
        'Also deliver events of the range that had no delivery to this webhook, for example because they are older than the webhook, if its subscription and its filter include them',
    }),
  ),
})
export const Tested = T.Object({
  Delivered: T.Boolean(),
  Details: T.String({ description: 'Status or error' }),
  Milliseconds: T.Integer(),
  Answer: T.String({ description: 'The first 500 characters of the answer' }),
})
export const SampleName = T.Optional(
  T.String({
    minLength: 1,
    maxLength: 64,
    description: 'What to make, for example message.text; an event of type Test when absent',
  }),
)
export const TEST =
  'One attempt, signed like every delivery and in the format of the webhook, whatever its subscription and filter say. The event did not happen: it has `"test": true` in the format `wamux`, the header `x-gateway-test: 1` in all, and an acting person whose number is nobody\'s. It is in no log and is not retried. The refusal of an unknown `Event` names those that there are.'
export const Replayed = T.Object({ Replayed: T.Integer() })
export const REPLAY =
  'Selects by `Id`, by seq or by time. A range includes events that were delivered before, unless `State` excludes them. Without any field all dead letters are delivered again. One event (`Id`) is delivered even if it never was before, and at once if it waits for a retry; a range leaves out events that were never delivered, unless `Missing` is set. With `Error`, dead letters of that error are delivered again, and those that wait for a retry now. Events keep their id.'

/** Listing deliveries, replaying them, testing the receiver. */
export const deliveryRoutes = <D extends DeliveryDeps>(r: RouteBuilder<D>) => [
  r.get('/webhook/deliveries', {
    isSensitive: true,
    summary: 'List deliveries with their outcomes, oldest first',
    example: { State: 'done', Limit: '50' },
    access: 'token',
    description: LIST,
    body: PageBody,
    response: DeliveryPage,
    async handle({ body, session }, deps) {
      const ids = body.Endpoint
        ? [(await deps.webhookService.find(session, body.Endpoint)).id]
        : deps.endpoints.of(session).map(({ id }) => id)
      const { Deliveries, Next } = await listDeliveries(deps, ids, body)
      return {
        Deliveries: Deliveries.map((row) => ({
          ...row,
          Endpoint: row.Endpoint === session.id ? 'main' : row.Endpoint,
        })),
        Next,
      }
    },
  }),
  r.post('/webhook/replay', {
    leaves: [],
    summary: 'Deliver again: one event, a range, or all dead letters',
    example: { State: 'dead' },
    access: 'token',
    audit: 'webhook.replay',
    description: REPLAY,
    body: ReplayBody,
    response: Replayed,
    async handle({ body, session, viewer, signal }, deps) {
      const { id } = await deps.webhookService.find(session, body.Endpoint)
      return replay(deps, id, body, { viewer, signal, session })
    },
  }),
  r.post('/webhook/test', {
    leaves: [],
    summary: 'Send a test event now and report the outcome',
    description: TEST,
    access: 'token',
    example: { Event: 'message.text' },
    body: T.Object({ Endpoint, Event: SampleName }),
    response: Tested,
    async handle({ body, session }, { attempts, testDeliveries, webhookService }) {
      const { id } = await webhookService.find(session, body.Endpoint)
      return testedOf(await attempts.attempt(await testDeliveries.make(id, session, body.Event)))
    },
  }),
]

/** A page of the deliveries of some endpoints, oldest first. */
export async function listDeliveries(
  { archive, events }: Pick<DeliveryDeps, 'archive' | 'events'>,
  ids: readonly string[],
  { State, After, Order, Limit = '100', Since, Until }: Static<typeof PageBody>,
): Promise<Static<typeof DeliveryPage>> {
  const isNewestFirst = Order === 'newest'
  const before = isNewestFirst && After ? Number(After) - 1 : Number.MAX_SAFE_INTEGER
  const after = isNewestFirst ? 0 : Number(After ?? 0)
  // By seq, which the index has: an old range is found as fast as the newest one.
  const seqAt = async (time: number) => (await events.seqAt(time)) ?? Number.MAX_SAFE_INTEGER
  const range: Range = {
    from: Math.max(after + 1, Since ? await seqAt(Date.parse(Since)) : 0),
    to: Math.min(before, Until ? (await seqAt(Date.parse(Until) + 1)) - 1 : before),
    isNewestFirst,
    ...(State ? { state: State } : {}),
  }
  const found = await archive.list(ids, range, Math.min(1_000, Number(Limit)))
  const { items, cursor } = pageOf(found, (delivery) => delivery)
  return { Deliveries: items, Next: cursor?.Seq ?? Number(After ?? 0) }
}

/** @param session the session whose events may be redelivered; undefined for all sessions. */
export async function replay(
  {
    events,
    archive,
    missing,
    dispatcher,
  }: Pick<DeliveryDeps, 'events' | 'archive' | 'missing' | 'dispatcher'>,
  id: string,
  body: Static<typeof ReplayBody>,
  { viewer, signal, session }: { viewer: Viewer; signal: AbortSignal; session?: Session },
): Promise<Static<typeof Replayed>> {
  if (body.Error) return replayFailed({ archive, dispatcher }, id, { ...body, Error: body.Error }, signal)
  const line = body.Id ? await events.find(body.Id, viewer) : undefined
  if (body.Id && !line) throw gatewayError('ITEM_UNKNOWN', ['Event'])
  const range = toRange(line ? { FromSeq: line.seq, ToSeq: line.seq } : body)
  const all = range.state || Object.keys(range).length > 0 ? range : { state: 'dead' as const }
  const states = all.state ? [all.state] : (['done', 'dead'] as const)
  const added = line
    ? await missing.add(id, line)
    : body.Missing
      ? await missing.addAll(id, all, session, signal)
      : 0
  let count = added
  for (const state of states) count += await archive.change(id, { ...all, state }, untried(state), signal)
  // A delivery waiting for its retry is attempted now.
  if (line && count === 0)
    count += await archive.change(id, { ...all, state: 'pending' }, { nextAt: 0 }, signal)
  if (count > 0) dispatcher.reset(id)
  return { Replayed: count }
}

/** Dead letters start again, and what waits is attempted now; what was delivered meanwhile is left alone. */
async function replayFailed(
  { archive, dispatcher }: Pick<DeliveryDeps, 'archive' | 'dispatcher'>,
  id: string,
  body: Static<typeof ReplayBody> & { Error: string },
  signal: AbortSignal,
): Promise<Static<typeof Replayed>> {
  const { Error: error, Since, Until, ...others } = body
  const other = (['Id', 'State', 'FromSeq', 'ToSeq', 'Missing'] as const).find(
    (field) => others[field] !== undefined,
  )
  if (other) throw gatewayError('FIELD_INVALID', [other, 'it can not be combined with Error'])
  const failed = {
    error,
    since: Since ? Date.parse(Since) : 0,
    until: Until ? Date.parse(Until) : Date.now(),
  }
  const waiting = await archive.count(id, { state: 'pending', failed })
  const dead = await archive.change(id, { state: 'dead', failed }, untried('dead'), signal)
  if (waiting + dead > 0) dispatcher.reset(id)
  return { Replayed: waiting + dead }
}

interface ReplayRange {
  State?: 'dead' | 'done' | undefined
  FromSeq?: number | undefined
  ToSeq?: number | undefined
  Since?: string | undefined
  Until?: string | undefined
}

function toRange({ State, FromSeq, ToSeq, Since, Until }: ReplayRange): Range {
  return {
    ...(State ? { state: State } : {}),
    ...(FromSeq === undefined ? {} : { from: FromSeq }),
    ...(ToSeq === undefined ? {} : { to: ToSeq }),
    ...(Since ? { since: Date.parse(Since) } : {}),
    ...(Until ? { until: Date.parse(Until) } : {}),
  }
}

export function testedOf(result: AttemptResult) {
  const { ms, head } = result
  return { Delivered: result.kind === 'done', Details: describe(result), Milliseconds: ms, Answer: head }
}

function describe(result: AttemptResult): string {
  if (result.kind === 'failed') return result.reason
  if (result.kind === 'aborted') return 'the gateway is stopping'
  if (result.kind === 'gone') return 'status 410'
  return result.status === 0 ? 'its format has no body for a test' : `status ${result.status}`
}
