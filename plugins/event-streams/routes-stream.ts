import { Readable } from 'node:stream'
import {
  eventStream,
  type GatewayServices,
  gatewayError,
  isGatewayError,
  type Kernel,
  type RouteBuilder,
  type RouteRequest,
  type Session,
  type Static,
  T,
} from 'wamux/plugin'
import type { EventsConfig } from './config.ts'
import { type FollowParts, follow } from './follow.ts'
import { assertValid, type Reader } from './reader.ts'
import { streamTo } from './socket.ts'
import { sourceOf } from './source.ts'
import { GlobalStreamBody, StreamBody, seqOf, subscriberOf } from './subscriber.ts'
import { EventView } from './view.ts'

type Deps = Kernel<EventsConfig> & {
  reader: Reader
  attachments?: GatewayServices['attachments'] | undefined
}

const SSE =
  'The `id` of each event is its seq, so a client that reconnects resumes there (`Last-Event-ID`, or `after`). A comment every 15 seconds serves as heartbeat.'
const SOCKET =
  "Each text message is one event. A client that reconnects passes the `seq` of its last event as `after`: none is lost or repeated. Pings every 15 seconds serve as heartbeat; a client that does not answer them, or does not read for 30 seconds, is disconnected. Browsers, which can't set headers, offer the subprotocols `wamux` and `token.<token>` (`admintoken.<token>`); the address never contains a token, and pages need the gateway's own origin or one that CORS allows. Close codes: 1001 the gateway stops, 4410 `after` is older than the retention, 4401 the token is no longer valid."
const Page = T.Unknown({
  contentMediaType: 'text/event-stream',
  description: 'Server-sent events; the data of each is JSON',
  contentSchema: EventView,
})
const Opened = T.Unknown({ description: 'A WebSocket' })

/** Event streams: server-sent events and WebSockets, for one session or for all. */
export const streamRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/events/stream', {
    summary: 'Stream events as server-sent events',
    access: 'token',
    errors: ['EVENTS_DROPPED'],
    isFiltered: true,
    description: SSE,
    example: { class: 'All' },
    body: StreamBody,
    response: Page,
    handle: (request, deps) => openStream(request, deps, request.session),
  }),
  r.get('/events/global/stream', {
    summary: 'Stream the events of all sessions as server-sent events',
    access: 'admin',
    errors: ['EVENTS_DROPPED'],
    description: SSE,
    example: { class: 'All' },
    body: GlobalStreamBody,
    response: Page,
    handle: (request, deps) => openStream(request, deps, undefined),
  }),
  r.get('/events/socket', {
    summary: 'Stream events over a WebSocket',
    access: 'token',
    errors: ['EVENTS_DROPPED'],
    isFiltered: true,
    isStream: true,
    description: SOCKET,
    example: { class: 'All' },
    body: StreamBody,
    response: Opened,
    handle: (request, deps) => openSocket(request, deps, request.session),
  }),
  r.get('/events/global/socket', {
    summary: 'Stream the events of all sessions over a WebSocket',
    access: 'admin',
    errors: ['EVENTS_DROPPED'],
    isStream: true,
    description: SOCKET,
    example: { class: 'All' },
    body: GlobalStreamBody,
    response: Opened,
    handle: (request, deps) => openSocket(request, deps, undefined),
  }),
]

type Request = Pick<RouteRequest<undefined, 'public'>, 'viewer' | 'header' | 'signal' | 'upgrade'> & {
  body: Static<typeof GlobalStreamBody>
}

async function openStream(
  { body, viewer, header, signal }: Request,
  deps: Deps,
  session: Session | undefined,
) {
  const source = sourceOf(deps, await subscriberOf(deps, { session, viewer }, body))
  const from = await source.cursor(seqOf('Last-Event-ID', header('last-event-id') || body.after))
  const heartbeatMs = deps.config.heartbeatSeconds * 1000
  return eventStream(stream({ source, attachments: deps.attachments, from, heartbeatMs, signal }))
}

/** All errors of the request are answered before the socket opens. */
async function openSocket(
  { body, viewer, signal, upgrade }: Request,
  deps: Deps,
  session: Session | undefined,
) {
  const { config, attachments } = deps
  const source = sourceOf(deps, await subscriberOf(deps, { session, viewer }, body))
  const from = await source.cursor(seqOf('after', body.after))
  const socket = await upgrade()
  const [heartbeatMs, slowMs] = [config.heartbeatSeconds, config.slowSeconds].map((one) => one * 1000)
  const limits = { heartbeatMs: heartbeatMs ?? 0, slowMs: slowMs ?? 0 }
  await streamTo({ source, attachments, from, socket, credentials: signal, ...limits })
}

/** Server-sent events from the log, as fast as the client reads, until it disconnects or the gateway stops. */
function stream(parts: FollowParts): Readable {
  return Readable.from(chunks(parts))
}

async function* chunks(parts: FollowParts): AsyncGenerator<string> {
  try {
    // Without data: a client disconnected before the first event resumes here.
    yield `id: ${parts.from}\nretry: 1000\n\n`
    for await (const event of follow(parts)) {
      if (event) yield `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`
      else yield ': alive\n\n'
    }
    assertValid(parts.signal)
  } catch (error) {
    const { status, code, message } = isGatewayError(error) ? error : gatewayError('INTERNAL')
    yield `event: error\ndata: ${JSON.stringify({ code: status, error: message, errorCode: code, success: false })}\n\n`
  }
}
