import { type EventFacts, passesFilter, type SubscriptionFilter } from 'wamux/messaging'
import type { LogEvent, Row, Static, Vault } from 'wamux/plugin'
import type { Edits } from '../contract.ts'
import { isEmpty, type Transform } from '../formats/transform.ts'

export type Filter = Static<typeof SubscriptionFilter>

/** A receiver of the events of one session, or of all sessions. */
export interface Endpoint {
  readonly id: string
  /** '' for a receiver of all sessions. */
  readonly session: string
  /** The webhook of POST /webhook, whose address and classes are stored in the session. */
  readonly isMain: boolean
  readonly url: string
  /** Name of its format. */
  readonly format: string
  /** Form of an edit or a deletion; '' for the default of its format. */
  readonly edits: Edits | ''
  /** Chosen names of the format's own events; none for those that it sends by default. */
  readonly events: readonly string[]
  /** Changes of the bodies after the format. */
  readonly transform: Transform
  readonly subscribe: readonly string[]
  readonly filter: Filter
  /** Its own headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** Bodies contain the session's token. */
  readonly includesToken: boolean
  /** Set by a key: its bodies contain no token, because things created with a token would outlive the key. */
  readonly isByKey: boolean
  /** '' until one has been returned to a client; without a secret deliveries are not signed. */
  readonly secret: string
  readonly oldSecret: string
  /** Until this time, milliseconds since 1970, the old secret also signs. */
  readonly oldUntil: number
  /**
   * `paused` by a client, `disabled` after days of failures: events still queue, and nothing is sent. `gone` after a 410: no
   * events queue.
   */
  readonly state: 'active' | 'paused' | 'disabled' | 'gone'
  readonly reason: string
  readonly failingSince: number
}

/** Whether the endpoint subscribes to an event, and its filter lets it pass. */
export function subscribes(endpoint: Endpoint, line: LogEvent, facts: () => EventFacts): boolean {
  const { url, state, session, subscribe, filter } = endpoint
  if (url === '' || state === 'gone' || (session !== '' && isOfWebhook(line))) return false
  return (subscribe.includes('All') || subscribe.includes(line.class)) && passesFilter(filter, line, facts)
}

/**
 * Whether it is the event of an issue about a webhook. Webhooks of a session get none of them: one that refuses the event would
 * fail, and so cause the next. An issue of a webhook of all sessions is no session's event, so those may get them.
 */
function isOfWebhook({ type, body }: LogEvent): boolean {
  if (type !== 'Issue') return false
  return String((body['event'] as { Cause?: unknown } | undefined)?.Cause).startsWith('webhook-')
}

export function toRow(vault: Vault, endpoint: Endpoint): Row {
  const { isMain, subscribe, url, reason, secret, oldSecret, oldUntil, failingSince, ...others } = endpoint
  const { filter, headers, includesToken, isByKey, session, events, transform, ...rest } = others
  const seal = (column: string, text: string): Buffer =>
    vault.seal(session, `webhook_endpoints/${rest.id}/${column}`, text)
  return {
    ...rest,
    session: session || null,
    events: events.length > 0 ? JSON.stringify(events) : null,
    transform: isEmpty(transform) ? null : seal('transform', JSON.stringify(transform)),
    filter: seal('filter', JSON.stringify(filter)),
    headers: seal('headers', JSON.stringify(headers)),
    include_token: includesToken,
    by_key: isByKey,
    url: seal('url', url),
    reason: seal('reason', reason),
    secret: seal('secret', secret),
    first: isMain,
    subscribe: JSON.stringify(subscribe),
    old_secret: seal('old_secret', oldSecret),
    old_until: oldUntil,
    failing_since: failingSince,
  }
}

export function fromRow(vault: Vault, row: Row): Endpoint {
  const text = (column: string): string => String(row[column])
  const session = String(row['session'] ?? '')
  const open = (column: string): string =>
    vault.open(session, `webhook_endpoints/${text('id')}/${column}`, row[column] as Buffer).toString()
  const object = (column: string): unknown => (row[column] ? JSON.parse(open(column)) : {})
  return {
    id: text('id'),
    session,
    filter: object('filter') as Filter,
    transform: object('transform') as Transform,
    headers: object('headers') as Record<string, string>,
    includesToken: Boolean(row['include_token']),
    isByKey: Boolean(row['by_key']),
    isMain: Boolean(row['first']),
    url: open('url'),
    format: text('format'),
    edits: (row['edits'] ?? '') as Endpoint['edits'],
    events: row['events'] ? (JSON.parse(text('events')) as string[]) : [],
    subscribe: JSON.parse(text('subscribe')) as string[],
    secret: open('secret'),
    oldSecret: open('old_secret'),
    oldUntil: Number(row['old_until']),
    state: text('state') as Endpoint['state'],
    reason: open('reason'),
    failingSince: Number(row['failing_since']),
  }
}
