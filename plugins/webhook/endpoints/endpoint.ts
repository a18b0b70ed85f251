import type { Row, Vault } from 'wamux/plugin'

/** A receiver of one session's events. */
export interface Endpoint {
  readonly id: string
  readonly session: string
  /** The webhook of POST /webhook: its address and classes are those of the session. */
  readonly isMain: boolean
  readonly url: string
  readonly format: 'json' | 'form'
  readonly subscribe: readonly string[]
  /** '' until one was returned to a client; without a secret deliveries are not signed. */
  readonly secret: string
  readonly oldSecret: string
  /** The old secret signs too until this time, milliseconds since 1970. */
  readonly oldUntil: number
  /** `disabled` after days of failures: events still queue. `gone` after a 410: they don't. */
  readonly state: 'active' | 'disabled' | 'gone'
  readonly reason: string
  readonly failingSince: number
}

/** Whether events of this class are delivered to the endpoint. */
export function isSubscribed(endpoint: Endpoint, kind: string): boolean {
  const { url, state, subscribe } = endpoint
  return url !== '' && state !== 'gone' && (subscribe.includes('All') || subscribe.includes(kind))
}

export function toRow(vault: Vault, endpoint: Endpoint): Row {
  const { isMain, subscribe, url, reason, secret, oldSecret, oldUntil, failingSince, ...rest } = endpoint
  const seal = (column: string, text: string): Buffer =>
    vault.seal(rest.session, `webhook_endpoints/${rest.id}/${column}`, text)
  return {
    ...rest,
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
  const open = (column: string): string =>
    vault.open(text('session'), `webhook_endpoints/${text('id')}/${column}`, row[column] as Buffer).toString()
  return {
    id: text('id'),
    session: text('session'),
    isMain: Boolean(row['first']),
    url: open('url'),
    format: text('format') as Endpoint['format'],
    subscribe: JSON.parse(text('subscribe')) as string[],
    secret: open('secret'),
    oldSecret: open('old_secret'),
    oldUntil: Number(row['old_until']),
    state: text('state') as Endpoint['state'],
    reason: open('reason'),
    failingSince: Number(row['failing_since']),
  }
}
