import { digits } from 'wamux/messaging'
import { type GatewayServices, type Kernel, pageOf, type RouteBuilder, T } from 'wamux/plugin'
import { assertValid, type Reader, visible } from './reader.ts'
import { Class, classesOf } from './subscriber.ts'
import { EventView, toView } from './view.ts'

type Deps = Kernel<unknown> & { reader: Reader; attachments?: GatewayServices['attachments'] | undefined }

const after = (absent: string) => digits(`Seq of the last known event; when absent, ${absent}`)
const MAX_WAIT = 60
const MAX_LIMIT = 500

export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/events', {
    summary: 'Read events after a given seq, with long polling',
    example: { after: '0', class: 'Message', limit: '50' },
    access: 'token',
    errors: ['EVENTS_DROPPED'],
    isFiltered: true,
    isStream: 'wait',
    description:
      'Pass `Next` as `after` in the next call. A page has at most a megabyte. A seq older than the retention answers 410 with the oldest available one.',
    body: T.Object({
      after: after('from the oldest available event'),
      class: Class,
      wait: digits('Seconds to wait for the first event; 0 when absent, 60 at most'),
      limit: digits('Page size; 100 when absent, 500 at most'),
    }),
    response: T.Object({ Events: T.Array(EventView), Next: T.Integer() }),
    async handle({ body, session, viewer, signal }, { events, reader, attachments }) {
      const query = { session, viewer, classes: events.assertClasses(classesOf(body.class)) }
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
        const shown = new Set(await visible(query, lines))
        const { items, cursor } = pageOf(lines, (line) =>
          shown.has(line) ? toView(session, line, attachments) : undefined,
        )
        return { Events: items, Next: cursor?.seq ?? from }
      } finally {
        watcher.close()
      }
    },
  }),
]
