import { digits, Subscribe, SubscriptionFilter } from 'wamux/messaging'
import {
  gatewayError,
  type RouteBuilder,
  type RouteRequest,
  type Session,
  type Static,
  T,
  type Viewer,
} from 'wamux/plugin'
import type { Match, Matches } from './delivery/matches.ts'
import type { Previews } from './delivery/previews.ts'
import { form, inputOf } from './endpoint-view.ts'
import { NATIVE } from './formats/native.ts'
import type { DeliveryDeps } from './routes-deliveries.ts'

type Deps = DeliveryDeps & { previews: Previews; matches: Matches }

const MAX_EVENTS = 100
const MAX_TEXT = 120

const { Transform: _, ...format } = form
const Selection = T.Object({
  Subscribe,
  Filter: T.Optional(SubscriptionFilter),
  ...format,
  Limit: digits(`Number of events, at most ${MAX_EVENTS}; 20 when absent`, 4),
})
const Matched = T.Object({
  Events: T.Array(
    T.Object(
      {
        Id: T.String(),
        Session: T.String({ description: 'Id of its session' }),
        Class: T.String(),
        Type: T.String(),
        Time: T.String({ description: 'RFC 3339' }),
        Chat: T.String({ description: 'JID of its chat; empty for an event of the session as a whole' }),
        Text: T.String({ description: `The first ${MAX_TEXT} characters of its message; otherwise empty` }),
        Passes: T.Boolean({ description: 'The webhook would receive it' }),
        LeftOutBy: T.String({ description: '`class`, `filter` or `format`; empty if it passes' }),
      },
      { title: 'WebhookMatch' },
    ),
  ),
})
const MATCHES =
  'Nothing is sent or stored. Absent fields have the defaults of a new webhook; errors name the field, as when it is set.'
const EXAMPLE = { Subscribe: ['Message'], Filter: { Groups: false } }

export const previewRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/webhook/preview/events', {
    leaves: [],
    isSensitive: true,
    isIdempotent: true,
    isFiltered: true,
    summary: 'Show which of the newest events a webhook would receive',
    description: MATCHES,
    access: 'token',
    example: EXAMPLE,
    body: Selection,
    response: Matched,
    handle: ({ body, session, viewer, caller }, deps) => matchesOf(deps, session, body, { viewer, caller }),
  }),
  r.post('/webhook/global/preview/events', {
    leaves: [],
    isIdempotent: true,
    summary: 'Show which of the newest events a webhook of all sessions would receive',
    description: MATCHES,
    access: 'admin',
    example: EXAMPLE,
    body: Selection,
    response: Matched,
    handle: ({ body, viewer, caller }, deps) => matchesOf(deps, undefined, body, { viewer, caller }),
  }),
  r.post('/webhook/preview', {
    leaves: [],
    isSensitive: true,
    isIdempotent: true,
    isFiltered: true,
    summary: 'Show the requests that a webhook would receive for one event',
    description:
      'Nothing is sent. Headers and bodies are as in a delivery in that format, signed with `Secret` if it is given. Empty if the format has no form for the event.',
    access: 'token',
    example: { Id: 'evt_fe5r7qaxkwpwlxn2o3wyq2mgcv', Format: 'wamux' },
    chain: { uses: { Id: 'event' } },
    body: T.Object({
      Id: T.String({ minLength: 1, format: 'id', description: 'Id of the event' }),
      ...form,
      Secret: T.Optional(
        T.String({
          maxLength: 200,
          pattern: '^whsec_[A-Za-z0-9+/]{32,}=*$',
          description: 'Signs the requests: whsec_ and base64 of 24 bytes or more; unsigned when absent',
        }),
      ),
    }),
    response: T.Object({
      Requests: T.Array(
        T.Object({
          Headers: T.Record(T.String(), T.String()),
          Body: T.String({ description: 'Base64 of the body, byte for byte' }),
        }),
      ),
    }),
    async handle({ body, session, viewer, caller }, { events, previews }) {
      const { Id, Format = NATIVE, Secret = '' } = body
      const line = await events.find(Id, viewer)
      if (line?.session !== session.id) throw gatewayError('ITEM_UNKNOWN', ['Event'])
      const made = await previews.of(session, line, {
        format: Format,
        edits: body.Edits ?? '',
        events: body.Events ?? [],
        transform: body.Transform ?? {},
        secret: Secret,
        isByKey: caller !== undefined,
      })
      return {
        Requests: made.map(({ headers, body }) => ({
          Headers: { ...headers },
          Body: body.toString('base64'),
        })),
      }
    },
  }),
]

async function matchesOf(
  deps: Deps,
  session: Session | undefined,
  { Limit = '20', ...given }: Static<typeof Selection>,
  { viewer, caller }: { viewer: Viewer; caller: RouteRequest<undefined, 'token'>['caller'] },
): Promise<Static<typeof Matched>> {
  const { input } = inputOf(deps, '', given, caller)
  const { subscribe = ['All'], filter = {}, format = NATIVE, edits = '', events = [] } = input
  const selection = { subscribe, filter, format, edits, events }
  const limit = Math.min(MAX_EVENTS, Number(Limit) || 1)
  const found = await deps.matches.list(session, selection, viewer, limit)
  return { Events: found.map(toView) }
}

function toView({ line, session, chat, leftOutBy }: Match): Static<typeof Matched>['Events'][number] {
  const { id, type, time, body } = line
  const { text } = (body['message'] ?? {}) as { text?: unknown }
  return {
    Id: id,
    Session: session.id,
    Class: line.class,
    Type: type,
    Time: time,
    Chat: chat,
    Text: typeof text === 'string' ? text.slice(0, MAX_TEXT) : '',
    Passes: leftOutBy === '',
    LeftOutBy: leftOutBy,
  }
}
