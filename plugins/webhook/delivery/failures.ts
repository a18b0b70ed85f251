import type { Events, PluginDb, Row } from 'wamux/plugin'
import type { Endpoint } from '../endpoints/endpoint.ts'

/** Failed attempts of a time, grouped by receiver and error. */
export interface Failures {
  /** @param endpoints all of the gateway if `isOfAll`, so that the query need not name them. */
  list(endpoints: readonly Endpoint[], isOfAll: boolean, span: Span): Promise<FailureList>
}

/** Inclusive, milliseconds since 1970. */
interface Span {
  readonly since: number
  readonly until: number
}

interface FailureList {
  /** The most attempts first. */
  readonly groups: readonly FailureGroup[]
  /** Attempts before this time, or groups, were left out. */
  readonly isCut: boolean
  readonly since: number
}

/** Attempts that failed for the same reason at the same address. */
export interface FailureGroup {
  readonly url: string
  readonly error: string
  readonly attempts: number
  /** Distinct deliveries. */
  readonly events: number
  readonly first: number
  readonly last: number
  /** Attempts in each of `PARTS` equal parts of the span. */
  readonly counts: readonly number[]
  readonly receivers: readonly Receiver[]
  readonly examples: readonly Example[]
}

interface Receiver {
  readonly endpoint: Endpoint
  /** Its deliveries that wait for a retry, and dead letters. */
  readonly pending: number
  readonly dead: number
}

export interface Example {
  readonly id: string
  readonly type: string
  readonly session: string
  readonly at: number
}

export const PARTS = 24
/** Failed attempts that one call counts: the newest of the span. */
export const MAX_ATTEMPTS = 50_000
export const MAX_GROUPS = 100
const EXAMPLES = 3
/** Newest attempts of a group among which its examples are: one event may have failed often. */
const RECENT = 30

interface Deps {
  db: PluginDb
  events: Events
}

type Building = { -readonly [K in 'attempts' | 'events' | 'first' | 'last']: FailureGroup[K] } & {
  readonly url: string
  readonly error: string
  readonly counts: number[]
  readonly receivers: Map<string, Receiver>
}

export function createFailures({ db, events }: Deps): Failures {
  const [attempts, deliveries] = [db.table('attempts'), db.table('deliveries')]

  function failed(ids: readonly string[] | undefined, { since, until }: Span) {
    // As in the indexes, which hold only failed attempts.
    const query = db.read<Row>(attempts).whereRaw('NOT accepted').whereBetween('at', [since, until])
    return ids ? query.whereIn('endpoint', [...ids]) : query
  }
  const newest = (ids: readonly string[] | undefined, span: Span) =>
    failed(ids, span)
      .orderBy('at', 'desc')
      .limit(MAX_ATTEMPTS)
      .select('endpoint', 'last', 'seq', 'at')
      .as('f')

  /** Attempts by endpoint, error and part of the span. */
  function counted(ids: readonly string[] | undefined, span: Span): Promise<Row[]> {
    const { since, until } = span
    // Whole numbers in the statement: as parameters, SQLite would divide them as fractions.
    const part = `(at - ${since}) / ${Math.ceil((until - since + 1) / PARTS)}`
    return db.read
      .from(newest(ids, span))
      .select('endpoint', 'last', db.read.raw(`${part} AS part`))
      .count({ attempts: '*' })
      .min({ first: 'at' })
      .max({ at: 'at' })
      .groupBy('endpoint', 'last')
      .groupByRaw(part)
  }

  /** Deliveries by endpoint and error, and how many of them have not succeeded since. */
  function undelivered(ids: readonly string[] | undefined, span: Span): Promise<Row[]> {
    const each = db.read.from(newest(ids, span)).distinct('endpoint', 'last', 'seq').as('e')
    const inState = (state: string): string => `SUM(CASE WHEN d.state = '${state}' THEN 1 ELSE 0 END)`
    return db.read
      .from(each)
      .join(`${deliveries} as d`, (on) => on.on('d.seq', 'e.seq').andOn('d.endpoint', 'e.endpoint'))
      .groupBy('e.endpoint', 'e.last')
      .select('e.endpoint', 'e.last')
      .count({ events: '*' })
      .select(db.read.raw(`${inState('pending')} AS pending, ${inState('dead')} AS dead`))
  }

  async function examplesOf({ error, receivers, first, last }: Building): Promise<Example[]> {
    const rows = await failed([...receivers.keys()], { since: first, until: last })
      .where({ last: error })
      .orderBy('at', 'desc')
      .limit(RECENT)
      .select('seq', 'at')
    const times = new Map<number, number>()
    for (const row of rows) {
      const seq = Number(row['seq'])
      if (!times.has(seq) && times.size < EXAMPLES) times.set(seq, Number(row['at']))
    }
    const lines = await events.lines([...times.keys()])
    return lines
      .map(({ id, type, session, seq }) => ({ id, type, session, at: times.get(seq) ?? 0 }))
      .sort((a, b) => b.at - a.at)
  }

  return {
    async list(endpoints, isOfAll, span) {
      const known = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]))
      const ids = isOfAll ? undefined : [...known.keys()]
      const rows = ids?.length === 0 ? [] : await counted(ids, span)
      const groups = new Map<string, Building>()
      const groupOf = (row: Row): Building | undefined => {
        const endpoint = known.get(String(row['endpoint']))
        if (!endpoint) return undefined
        const error = String(row['last'])
        const { url } = endpoint
        const key = JSON.stringify([url, error])
        const group = groups.get(key) ?? {
          ...{ url, error, attempts: 0, events: 0, first: Number.POSITIVE_INFINITY, last: 0 },
          ...{ counts: Array<number>(PARTS).fill(0), receivers: new Map() },
        }
        if (!group.receivers.has(endpoint.id))
          group.receivers.set(endpoint.id, { endpoint, pending: 0, dead: 0 })
        groups.set(key, group)
        return group
      }
      for (const row of rows) {
        const group = groupOf(row)
        const part = Number(row['part'])
        if (!group) continue
        group.attempts += Number(row['attempts'])
        group.counts[part] = (group.counts[part] ?? 0) + Number(row['attempts'])
        group.first = Math.min(group.first, Number(row['first']))
        group.last = Math.max(group.last, Number(row['at']))
      }
      for (const row of rows.length > 0 ? await undelivered(ids, span) : []) {
        const group = groupOf(row)
        const endpoint = known.get(String(row['endpoint']))
        if (!group || !endpoint) continue
        group.events += Number(row['events'])
        const [pending, dead] = [Number(row['pending']), Number(row['dead'])]
        group.receivers.set(endpoint.id, { endpoint, pending, dead })
      }
      const total = rows.reduce((sum, row) => sum + Number(row['attempts']), 0)
      const isFull = total >= MAX_ATTEMPTS
      const all = [...groups.values()].sort((a, b) => b.attempts - a.attempts || b.last - a.last)
      const shown = await Promise.all(
        all.slice(0, MAX_GROUPS).map(async (group) => ({
          ...group,
          receivers: [...group.receivers.values()],
          examples: await examplesOf(group),
        })),
      )
      return {
        groups: shown,
        isCut: isFull || all.length > MAX_GROUPS,
        since: isFull ? Math.min(...all.map(({ first }) => first)) : span.since,
      }
    },
  }
}
