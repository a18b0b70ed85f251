import { digits } from 'wamux/messaging'
import {
  type GatewayServices,
  type Kernel,
  type RouteBuilder,
  type Session,
  type Static,
  T,
} from 'wamux/plugin'
import { readBack } from './history.ts'
import { GlobalStreamBody, StreamBody, type Subscriber, subscriberOf } from './subscriber.ts'
import { EventView, toView } from './view.ts'

type Deps = Kernel<unknown> & { attachments?: GatewayServices['attachments'] | undefined }

const MAX_LIMIT = 200
const HISTORY =
  'Filtered like the streams. One call reads at most 5,000 events of the log: if few events pass the filter, or events are large, a page may have fewer than `limit`, or none, and still not be the last.'

const page = {
  before: digits('`Before` of the previous page; the newest events when absent'),
  limit: digits(`Page size, at most ${MAX_LIMIT}; 50 when absent`, 4),
}
const { after: _, ...own } = StreamBody.properties
const { after: __, ...all } = GlobalStreamBody.properties
const Page = T.Object({
  Events: T.Array(EventView),
  Before: T.Integer({ description: 'Pass it as `before` to get the next page; 0 if there is none' }),
})

/** Reads the log backwards, for people who look something up. */
export const historyRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/events/history', {
    summary: 'Read the event log, newest events first',
    access: 'token',
    isFiltered: true,
    description: HISTORY,
    example: { limit: '50', class: 'Message' },
    chain: { saves: { event: 'Events.0.eventId' } },
    body: T.Object({ ...own, ...page }),
    response: Page,
    async handle({ body, session, viewer }, deps) {
      return historyOf(deps, await subscriberOf(deps, { session, viewer }, body), body)
    },
  }),
  r.get('/events/global/history', {
    summary: 'Read the event log of all sessions, newest events first',
    access: 'admin',
    description: HISTORY,
    example: { limit: '50', class: 'Message' },
    body: T.Object({ ...all, ...page }),
    response: Page,
    async handle({ body, viewer }, deps) {
      return historyOf(deps, await subscriberOf(deps, { session: undefined, viewer }, body), body)
    },
  }),
]

async function historyOf(
  { events, sessions, attachments }: Deps,
  subscriber: Subscriber,
  { before, limit = '50' }: { before?: string; limit?: string },
): Promise<Static<typeof Page>> {
  const start = before === undefined ? Number.MAX_SAFE_INTEGER : Number(before)
  const known = new Map<string, Session>((await sessions.list()).map((session) => [session.id, session]))
  const { items, next } = await readBack(events, subscriber, {
    seq: start,
    limit: Math.min(MAX_LIMIT, Number(limit) || 1),
    toItem(line) {
      const session = known.get(line.session)
      return session && toView(session, line, attachments)
    },
  })
  return { Events: [...items], Before: next }
}
