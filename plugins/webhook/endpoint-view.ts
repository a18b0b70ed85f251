import { normalizeFilter, SubscriptionFilter } from 'wamux/messaging'
import { gatewayError, type Kernel, type RouteRequest, type Static, type Subscription, T } from 'wamux/plugin'
import type { Edits } from './contract.ts'
import type { Endpoint, Filter } from './endpoints/endpoint.ts'
import type { Formats } from './formats/formats.ts'
import { isEmpty, Transform } from './formats/transform.ts'
import type { WebhookInput } from './webhook-service.ts'

const MAX_HEADERS = 20
const MAX_VALUE = 4_096

/** Headers that a client adds to the deliveries of an endpoint. */
const OwnHeaders = T.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: MAX_HEADERS,
  additionalProperties: { type: 'string', maxLength: MAX_VALUE },
  description:
    'Headers to add to every delivery, for example Authorization; replaces the previous ones, `{}` removes them. Values are never shown again',
  examples: [{ Authorization: 'Bearer …' }],
})

/** Headers of the connection, of the body, and of the gateway itself. */
const RESERVED =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|http2-settings|content-.*|user-agent|date|traceparent|webhook-.*|x-hmac-signature|x-webhook-.*|x-gateway-.*)$/

/** The headers by lower-case name. Throws FIELD_INVALID with the header's name but not its value. */
function checkHeaders(headers: Record<string, string>): Record<string, string> {
  const checked: Record<string, string> = {}
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase()
    const field = `Headers.${given.slice(0, 64)}`
    const refuse = (why: string): never => {
      throw gatewayError('FIELD_INVALID', [field, why])
    }
    if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/.test(name)) refuse('not the name of a header')
    if (RESERVED.test(name)) refuse('the gateway sets this header itself')
    if (name in checked) refuse('given twice')
    if (!/^[\t\x20-\x7e]*$/.test(value)) refuse('its value must be one line of printable ASCII')
    checked[name] = value
  }
  return checked
}

const EDITS = ['native', 'unsupported', 'none'] as const

export const EndpointUrl = T.String({
  minLength: 1,
  format: 'link',
  aliases: ['WebhookURL', 'webhook'],
  description: 'http or https address',
})

/** Fields of a request about the form of the bodies. */
export const form = {
  Format: T.Optional(
    T.String({
      format: 'name',
      description:
        'Format of the requests: wamux (the default; JSON), form (jsonData and token), or a format of another plugin, for example cloud-api',
      examples: ['wamux'],
    }),
  ),
  Edits: T.Optional(
    T.Enum([...EDITS], {
      description:
        "Form of an edit or a deletion of a message: native, the format's own; unsupported, a message that can not be shown, for receivers with a closed schema (default of cloud-api); none, no delivery. When absent with `Format`, the default of the format",
    }),
  ),
  Events: T.Optional(
    T.Array(T.String({ minLength: 1, maxLength: 100 }), {
      maxItems: 100,
      description:
        'Only these events of the format, by its own names, for example message.any of waha; an empty list for those that it sends by default. Subscribe selects before. When absent with `Format`, the default',
    }),
  ),
  Transform: T.Optional(Transform),
}

/** Whether the endpoint is paused. */
export const paused = {
  Paused: T.Optional(
    T.Boolean({
      description:
        'true holds all deliveries: events queue, and nothing is sent until false delivers them in order. Absent: unchanged',
    }),
  ),
}

export const FormatViews = T.Array(
  T.Object(
    {
      Name: T.String(),
      Title: T.String({ description: 'For people' }),
      Edits: T.Array(T.Enum([...EDITS]), { description: 'Allowed values of `Edits`, the default first' }),
      Events: T.Array(T.String(), { description: 'Allowed values in `Events`; none for most formats' }),
    },
    { title: 'WebhookFormat' },
  ),
  { description: "Allowed values of an endpoint's `Format`" },
)

export function formatViews(formats: Formats): Static<typeof FormatViews> {
  return formats.list().map(({ name, title, edits, events }) => ({
    Name: name,
    Title: title,
    Edits: [...edits],
    Events: [...events],
  }))
}

export const ClassViews = T.Array(
  T.Object(
    { Name: T.String(), Types: T.Array(T.String(), { description: 'Types of its events' }) },
    { title: 'EventClass' },
  ),
  { description: 'Allowed values of `Subscribe`, besides All, which also has the types of no class' },
)

export function classViews({ describe }: Pick<Kernel<unknown>, 'describe'>): Static<typeof ClassViews> {
  const typesOf = new Map<string, string[]>()
  for (const [type, event] of describe().plugins.flatMap((plugin) => Object.entries(plugin.events)))
    typesOf.set(event.class, [...(typesOf.get(event.class) ?? []), type])
  typesOf.delete('All')
  return [...typesOf].sort().map(([Name, Types]) => ({ Name, Types: Types.sort() }))
}

/** Fields that requests and answers share. */
export const settings = { Filter: T.Optional(SubscriptionFilter), Headers: T.Optional(OwnHeaders) }

export const EndpointView = T.Object(
  {
    Id: T.String({ description: '`main` for the webhook of POST /webhook' }),
    URL: T.String(),
    Subscribe: T.Array(T.String()),
    Format: T.String({ description: 'Format of the requests' }),
    Edits: T.Enum([...EDITS], { description: 'Form of an edit or a deletion of a message' }),
    Events: T.Optional(T.Array(T.String(), { description: 'Chosen events of the format, if any' })),
    Transform: T.Optional(Transform),
    ...settings,
    State: T.String({ description: 'active, paused, disabled or gone' }),
    Reason: T.String(),
    FailingSince: T.String({
      description: 'Time of the first failure after the last success; empty for none',
    }),
  },
  { title: 'WebhookEndpoint' },
)

export function toView(endpoint: Endpoint, formats: Formats): Static<typeof EndpointView> {
  const { id, isMain, url, subscribe, format, state, reason, failingSince } = endpoint
  return {
    Id: isMain ? 'main' : id,
    URL: url,
    Subscribe: [...subscribe],
    Format: format,
    Edits: formats.editsOf(endpoint),
    ...(endpoint.events.length > 0 ? { Events: [...endpoint.events] } : {}),
    ...(isEmpty(endpoint.transform) ? {} : { Transform: endpoint.transform }),
    ...settingsOf(endpoint),
    State: state,
    Reason: reason,
    FailingSince: failingSince ? new Date(failingSince).toISOString() : '',
  }
}

/** Filter and headers, if any; header values are never shown. */
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
  Format?: string
  Edits?: Edits
  Events?: string[]
  Transform?: Transform
  Paused?: boolean
  Filter?: Filter
  Headers?: Record<string, string>
}

/** The changes that a request makes. Throws FIELD_INVALID. */
export function inputOf(
  { events, describe }: Pick<Kernel<unknown>, 'events' | 'describe'>,
  url: string,
  given: Given,
  caller: RouteRequest<undefined, 'token'>['caller'],
): { input: WebhookInput; notice: Subscription['notice'] } {
  const { classes, notice = {} }: Partial<Subscription> = given.Subscribe
    ? events.subscription(given.Subscribe)
    : {}
  const types = (): string[] => describe().plugins.flatMap((plugin) => Object.keys(plugin.events))
  const input = {
    url,
    subscribe: classes,
    format: given.Format,
    edits: given.Edits,
    events: given.Events,
    transform: given.Transform,
    isPaused: given.Paused,
    filter: given.Filter && normalizeFilter(given.Filter, types()),
    headers: given.Headers && checkHeaders(given.Headers),
    isByKey: caller !== undefined,
  }
  return { input, notice }
}
