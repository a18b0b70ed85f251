import { digits, normalizeFilter, SubscriptionFilter } from 'wamux/messaging'
import {
  gatewayError,
  type Kernel,
  type Session,
  type Sessions,
  type Static,
  T,
  type Viewer,
} from 'wamux/plugin'

type Filter = Static<typeof SubscriptionFilter>

/** The selection of one client. */
export interface Subscriber {
  /** undefined for the events of all sessions. */
  readonly session: Session | undefined
  readonly viewer: Viewer
  readonly classes: readonly string[]
  readonly filter: Filter
  /** Id of an event or a message: only events with this id; any when absent. */
  readonly id: string | undefined
  /** Ids of sessions, for the events of all; any when absent. */
  readonly sessions: readonly string[] | undefined
}

/** Most characters of a list with commas. */
const MAX_LIST = 4_096

export const Class = T.Optional(
  T.String({
    minLength: 1,
    maxLength: MAX_LIST,
    description: 'Event classes, separated by commas; all when absent',
  }),
)

/** The fields of a stream: its start and its filters. Lists are separated by commas. */
export const StreamBody = T.Object({
  after: digits('Seq of the last known event; when absent, only new events'),
  class: Class,
  id: T.Optional(
    T.String({
      minLength: 1,
      maxLength: 200,
      description: 'Id of an event or a message: only events with this id',
    }),
  ),
  ...SubscriptionFilter.properties,
})

/** The fields of a stream of all sessions. */
export const GlobalStreamBody = T.Object({
  ...StreamBody.properties,
  session: T.Optional(
    T.String({
      minLength: 1,
      maxLength: MAX_LIST,
      description: 'Ids or names of sessions, separated by commas; all when absent',
    }),
  ),
})

export function classesOf(text: string | undefined): string[] {
  return text ? text.split(',').map((name) => name.trim()) : ['All']
}

/** Rejects CLASS_UNKNOWN, FIELD_INVALID, SESSION_UNKNOWN. */
export async function subscriberOf(
  { events, sessions, describe }: Pick<Kernel<unknown>, 'events' | 'sessions' | 'describe'>,
  { session, viewer }: Pick<Subscriber, 'session' | 'viewer'>,
  { class: classes, after: _, id, session: named, ...filter }: Static<typeof GlobalStreamBody>,
): Promise<Subscriber> {
  const lists = Object.entries(filter).map(([name, value]) => [
    name,
    Array.isArray(value) ? split(value) : value,
  ])
  const types = describe().plugins.flatMap((plugin) => Object.keys(plugin.events))
  return {
    session,
    viewer,
    classes: events.assertClasses(classesOf(classes)),
    id,
    sessions: named === undefined ? undefined : await idsOf(sessions, named),
    filter: normalizeFilter(Object.fromEntries(lists) as Filter, types),
  }
}

async function idsOf(sessions: Sessions, named: string): Promise<string[]> {
  const all = await sessions.list()
  return split([named]).flatMap((one) => {
    const found = all.filter(({ id, name }) => id === one || name === one)
    if (found.length === 0) throw gatewayError('SESSION_UNKNOWN')
    return found.map(({ id }) => id)
  })
}

function split(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(',').map((part) => part.trim()))
}

/** The seq to begin after, from a header or a field. */
export function seqOf(field: string, text: string | undefined): number | undefined {
  if (!text) return undefined
  if (!/^\d{1,15}$/.test(text)) throw gatewayError('FIELD_INVALID', [field, 'not a seq'])
  return Number(text)
}
