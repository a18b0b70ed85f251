import { normalizeFilter, SubscriptionFilter } from 'wamux/messaging'
import { type Caller, gatewayError, type Kernel, type Session, type Static, T } from 'wamux/plugin'

type Filter = Static<typeof SubscriptionFilter>

/** What one client reads. */
export interface Subscriber {
  /** undefined for the events of all sessions. */
  readonly session: Session | undefined
  /** Whose right to read is limited; undefined for the session's own token and the admin. */
  readonly caller: Caller | undefined
  readonly classes: readonly string[]
  readonly filter: Filter
}

export const Class = T.Optional(
  T.String({ minLength: 1, description: 'Event classes, separated by commas; all when absent' }),
)

/** The fields of a stream: where it begins, and which events it has. Lists are separated by commas. */
export const StreamBody = T.Object({
  after: T.Optional(
    T.String({
      pattern: '^\\d{1,15}$',
      description: 'Seq of the last known event; when absent, only new events',
    }),
  ),
  class: Class,
  ...SubscriptionFilter.properties,
})

export function classesOf(text: string | undefined): string[] {
  return text ? text.split(',').map((name) => name.trim()) : ['All']
}

/** Throws CLASS_UNKNOWN, FIELD_INVALID. */
export function subscriberOf(
  { events, describe }: Pick<Kernel<unknown>, 'events' | 'describe'>,
  { session, caller }: Pick<Subscriber, 'session' | 'caller'>,
  { class: classes, after: _, ...filter }: Static<typeof StreamBody>,
): Subscriber {
  const lists = Object.entries(filter).map(([name, value]) => [
    name,
    Array.isArray(value) ? split(value) : value,
  ])
  const types = describe().plugins.flatMap((plugin) => Object.keys(plugin.events))
  return {
    session,
    caller,
    classes: events.assertClasses(classesOf(classes)),
    filter: normalizeFilter(Object.fromEntries(lists) as Filter, types),
  }
}

function split(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(',').map((part) => part.trim()))
}

/** The seq to begin after, of a header or a field. */
export function seqOf(field: string, text: string | undefined): number | undefined {
  if (!text) return undefined
  if (!/^\d{1,15}$/.test(text)) throw gatewayError('FIELD_INVALID', [field, 'not a seq'])
  return Number(text)
}
