import { gatewayError, type RouteBuilder, T } from 'wamux/plugin'
import type { Previews } from './delivery/previews.ts'
import { form } from './endpoint-view.ts'
import { formatNamed, NATIVE } from './formats/native.ts'
import type { DeliveryDeps } from './routes-deliveries.ts'

type Deps = DeliveryDeps & { previews: Previews }

export const previewRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/webhook/preview', {
    isSensitive: true,
    isIdempotent: true,
    isFiltered: true,
    summary: 'Show the requests that a webhook would receive for one event',
    description:
      'Nothing is sent. Headers and bodies are the same as those of a delivery in that format, signed with `Secret` if it is given. Empty if the format has no form for the event.',
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
        format: formatNamed(Format),
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
