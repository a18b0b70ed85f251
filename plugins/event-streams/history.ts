import type { Events, LogEvent } from 'wamux/plugin'
import { passes } from './source.ts'
import type { Subscriber } from './subscriber.ts'

const PAGE = 200
/** Events that one call reads: filtered ones cost as much as those that pass. */
const MAX_READ = 5_000

/**
 * The newest events before `seq` that the client requested and may see, newest first.
 *
 * @returns `next`: pass it as the next `before`; 0 at the beginning of the log.
 */
export async function readBack(
  events: Pick<Events, 'before'>,
  subscriber: Subscriber,
  seq: number,
  limit: number,
): Promise<{ lines: LogEvent[]; next: number }> {
  const { session, classes, filter, sessions } = subscriber
  const only = session?.id ?? (sessions?.length === 1 ? sessions[0] : undefined)
  const { Types: types } = filter
  const rough = { classes, ...(only === undefined ? {} : { session: only }), ...(types ? { types } : {}) }
  const found: LogEvent[] = []
  let next = seq
  for (let read = 0; read < MAX_READ; read += PAGE) {
    const page = await events.before(next, PAGE, rough)
    for (const line of page) {
      next = line.seq
      if (await passes(subscriber, line)) found.push(line)
      if (found.length === limit) return { lines: found, next }
    }
    if (page.length < PAGE) return { lines: found, next: 0 }
  }
  return { lines: found, next }
}
