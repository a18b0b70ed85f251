import { createPage, type Events, type LogEvent, PAGE_BYTES } from 'wamux/plugin'
import { passes } from './source.ts'
import type { Subscriber } from './subscriber.ts'

const PAGE = 200
/** Events that one call reads: filtered ones cost as much as those that pass. */
const MAX_READ = 5_000

/**
 * A page of the newest events before `seq` that the client requested and may see, newest first.
 *
 * @param toItem undefined for an event that is not shown.
 * @returns `next`: pass it as the next `before`; 0 at the beginning of the log.
 */
export async function readBack<I>(
  events: Pick<Events, 'before'>,
  subscriber: Subscriber,
  { seq, limit, toItem }: { seq: number; limit: number; toItem(line: LogEvent): I | undefined },
): Promise<{ items: readonly I[]; next: number }> {
  const { session, classes, filter, sessions } = subscriber
  const only = session?.id ?? (sessions?.length === 1 ? sessions[0] : undefined)
  const { Types: types } = filter
  const rough = {
    classes,
    bytes: PAGE_BYTES,
    ...(only === undefined ? {} : { session: only }),
    ...(types ? { types } : {}),
  }
  const page = createPage<I, number>(seq, limit)
  for (let read = 0; read < MAX_READ; ) {
    const lines = await events.before(page.cursor, PAGE, rough)
    if (lines.length === 0) return { items: page.items, next: 0 }
    for (const line of lines) {
      const item = (await passes(subscriber, line)) ? toItem(line) : undefined
      if (!page.add(line.seq, item) || page.items.length === limit)
        return { items: page.items, next: page.cursor }
    }
    read += lines.length
  }
  return { items: page.items, next: page.cursor }
}
