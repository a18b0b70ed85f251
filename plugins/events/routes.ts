import { gatewayError, type Kernel, type RouteBuilder, reply, T } from 'wamux/plugin'
import { assertValid, type Reader, visible } from './reader.ts'
import { stream } from './stream.ts'
import { EventView, toView } from './view.ts'

type Deps = Kernel<{ heartbeatSeconds: number }> & { reader: Reader }

const number = (description: string) => T.Optional(T.String({ pattern: '^\\d{1,15}$', description }))
const after = (absent: string) => number(`Seq of the last known event; when absent, ${absent}`)
const Class = T.Optional(
  T.String({ minLength: 1, description: 'Event classes, separated by commas; all when absent' }),
)

const MAX_WAIT = 60
const MAX_LIMIT = 500

export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/events', {
    summary: 'Read events after a given seq, with long polling',
    example: { after: '0', class: 'Message', limit: '50' },
    access: 'token',
    errors: ['EVENTS_DROPPED'],
    isFiltered: true,
    description:
      'Pass `Next` as `after` in the next call. A seq older than the retention answers 410 with the oldest available one.',
    body: T.Object({
      after: after('from the oldest available event'),
      class: Class,
      wait: number('Seconds to wait for the first event; 0 when absent, 60 at most'),
      limit: number('Page size; 100 when absent, 500 at most'),
    }),
    response: T.Object({ Events: T.Array(EventView), Next: T.Integer() }),
    async handle({ body, session, caller, signal }, { events, reader }) {
      const query = { session, caller, classes: events.assertClasses(classesOf(body.class)) }
      const limit = Math.max(1, Math.min(MAX_LIMIT, Number(body.limit ?? 100)))
      const waitMs = Math.min(MAX_WAIT, Number(body.wait ?? 0)) * 1000
      const from = await reader.cursor(query, Number(body.after ?? 0))
      const watcher = reader.watch(query)
      try {
        let lines = await reader.page(query, from, limit)
        if (lines.length === 0 && waitMs > 0) {
          await watcher.wait(waitMs, signal)
          assertValid(signal)
          lines = await reader.page(query, from, limit)
        }
        const shown = await visible(query, lines)
        return { Events: shown.map((line) => toView(session, line)), Next: lines.at(-1)?.seq ?? from }
      } finally {
        watcher.close()
      }
    },
  }),
  r.get('/events/stream', {
    summary: 'Stream events as server-sent events',
    example: { class: 'All' },
    access: 'token',
    errors: ['EVENTS_DROPPED'],
    isFiltered: true,
    description:
      'The `id` of each event is its seq, so a client that reconnects resumes there (`Last-Event-ID`, or `after`). A comment every 15 seconds serves as heartbeat.',
    body: T.Object({ after: after('only new events'), class: Class }),
    response: T.Unknown({
      contentMediaType: 'text/event-stream',
      description: 'Server-sent events; the data of each is JSON',
      contentSchema: EventView,
    }),
    async handle({ body, session, caller, header, signal }, { config, events, reader, sessions }) {
      const query = { session, caller, classes: events.assertClasses(classesOf(body.class)) }
      const last = header('last-event-id') || body.after
      if (last && !/^\d{1,15}$/.test(last))
        throw gatewayError('FIELD_INVALID', ['Last-Event-ID', 'not a seq'])
      const from = await reader.cursor(query, last ? Number(last) : undefined)
      const heartbeatMs = config.heartbeatSeconds * 1000
      const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }
      return reply(stream({ reader, sessions, query, from, heartbeatMs, signal }), headers)
    },
  }),
]

function classesOf(text: string | undefined): string[] {
  return text ? text.split(',').map((name) => name.trim()) : ['All']
}
