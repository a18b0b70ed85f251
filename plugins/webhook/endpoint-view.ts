import { normalizeFilter, SubscriptionFilter } from 'wamux/messaging'
import { type Kernel, type Static, type Subscription, T } from 'wamux/plugin'
import { Format } from './config.ts'
import type { Endpoint, Filter } from './endpoints/endpoint.ts'
import { checkHeaders, OwnHeaders } from './endpoints/own-headers.ts'
import type { WebhookInput } from './webhook-service.ts'

/** Fields that requests and answers share. */
export const settings = { Filter: T.Optional(SubscriptionFilter), Headers: T.Optional(OwnHeaders) }

export const EndpointView = T.Object(
  {
    Id: T.String({ description: '`main` for the webhook of POST /webhook' }),
    URL: T.String(),
    Subscribe: T.Array(T.String()),
    Format,
    ...settings,
    State: T.String({ description: 'active, disabled or gone' }),
    Reason: T.String(),
    FailingSince: T.String({
      description: 'Time of the first failure after the last success; empty for none',
    }),
  },
  { title: 'WebhookEndpoint' },
)

export function toView(endpoint: Endpoint): Static<typeof EndpointView> {
  const { id, isMain, url, subscribe, format, state, reason, failingSince } = endpoint
  return {
    Id: isMain ? 'main' : id,
    URL: url,
    Subscribe: [...subscribe],
    Format: format,
    ...settingsOf(endpoint),
    State: state,
    Reason: reason,
    FailingSince: failingSince ? new Date(failingSince).toISOString() : '',
  }
}

/** Filter and headers, where there are any; values of headers are never shown. */
export function settingsOf({ filter, headers }: Endpoint): {
  Filter?: Filter
  Headers?: Record<string, string>
} {
  const names = Object.keys(headers)
  return {
    ...(Object.keys(filter).length > 0 ? { Filter: filter } : {}),
    ...(names.length > 0 ? { Headers: Object.fromEntries(names.map((name) => [name, '***'])) } : {}),
  }
}

interface Given {
  Subscribe?: string[]
  Format?: Endpoint['format']
  Filter?: Filter
  Headers?: Record<string, string>
}

/** What a request sets. Throws FIELD_INVALID. */
export function inputOf(
  { events, describe }: Pick<Kernel<unknown>, 'events' | 'describe'>,
  url: string,
  given: Given,
): { input: WebhookInput; notice: Subscription['notice'] } {
  const { classes, notice = {} }: Partial<Subscription> = given.Subscribe
    ? events.subscription(given.Subscribe)
    : {}
  const types = (): string[] => describe().plugins.flatMap((plugin) => Object.keys(plugin.events))
  const input = {
    url,
    subscribe: classes,
    format: given.Format,
    filter: given.Filter && normalizeFilter(given.Filter, types()),
    headers: given.Headers && checkHeaders(given.Headers),
  }
  return { input, notice }
}
