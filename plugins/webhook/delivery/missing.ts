import { eventFactsOf } from 'wamux/messaging'
import { type Events, gatewayError, type LogEvent, type Session, type Sessions } from 'wamux/plugin'
import { type Endpoint, subscribes } from '../endpoints/endpoint.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { Formats } from '../formats/formats.ts'
import type { Range } from './archive.ts'
import type { Deliveries } from './deliveries.ts'
import { type Delivery, newDelivery } from './delivery.ts'

/** Adds deliveries of events that an endpoint never had, for example of those logged before it was added. */
export interface Missing {
  /** One event, whatever the endpoint subscribes to; resolves to 1 if it was added. */
  add(endpoint: string, line: LogEvent): Promise<number>
  /** The events of a list that are in the log, whatever the endpoint subscribes to. */
  addStored(endpoint: string, seqs: readonly number[]): Promise<number>
  /**
   * The events of a range that the endpoint accepts.
   *
   * @param session undefined for an endpoint of all sessions.
   */
  addAll(endpoint: string, range: Range, session: Session | undefined, signal: AbortSignal): Promise<number>
}

interface Deps {
  events: Events
  deliveries: Deliveries
  endpoints: Endpoints
  formats: Formats
  sessions: Sessions
}

const PAGE = 500

export function createMissing({ events, deliveries, endpoints, formats, sessions }: Deps): Missing {
  async function insert(endpoint: string, lines: readonly LogEvent[]): Promise<number> {
    const had = await deliveries.existing(
      endpoint,
      lines.map(({ seq }) => seq),
    )
    const fresh: Delivery[] = []
    for (const line of lines.filter(({ seq }) => !had.has(seq))) {
      const session = await sessions.byId(line.session)
      if (session) fresh.push(newDelivery(endpoint, session.jid, line))
    }
    if (fresh.length > 0) await deliveries.add(fresh)
    return fresh.length
  }

  async function accepts(endpoint: Endpoint, line: LogEvent): Promise<boolean> {
    if (!subscribes(endpoint, line, () => eventFactsOf(line))) return false
    const session = await sessions.byId(line.session)
    return session !== undefined && formats.accepts(endpoint, line, session)
  }

  function endpointOf(id: string): Endpoint {
    const endpoint = endpoints.byId(id)
    if (!endpoint) throw gatewayError('ITEM_UNKNOWN', ['Endpoint'])
    return endpoint
  }

  return {
    add: (endpoint, line) => insert(endpoint, [line]),
    async addStored(endpoint, seqs) {
      let count = 0
      for (let at = 0; at < seqs.length; at += PAGE)
        count += await insert(endpoint, await events.lines(seqs.slice(at, at + PAGE)))
      return count
    },
    async addAll(id, { from = 0, to, since, until }, session, signal) {
      const first =
        since === undefined ? from : Math.max(from, (await events.seqAt(since)) ?? Number.MAX_SAFE_INTEGER)
      let count = 0
      for (let seq = first - 1; ; ) {
        if (signal.aborted) throw gatewayError('STOPPING')
        const lines = await events.after(seq, PAGE, session ? { session: session.id } : {})
        const endpoint = endpointOf(id)
        const within = lines.filter(
          (line) => line.seq <= (to ?? line.seq) && (line.logged ?? 0) <= (until ?? Number.POSITIVE_INFINITY),
        )
        const wanted: LogEvent[] = []
        for (const line of within) if (await accepts(endpoint, line)) wanted.push(line)
        count += await insert(id, wanted)
        seq = lines.at(-1)?.seq ?? seq
        if (lines.length < PAGE || (to !== undefined && seq >= to)) return count
      }
    },
  }
}
