import { digits } from 'wamux/messaging'
import { pageOf, type RouteBuilder, T } from 'wamux/plugin'
import type { LoggedRequest, Requests } from './requests.ts'

const MAX_LIMIT = 200

const LoggedRequestView = T.Object({
  Id: T.String({ description: '`X-Request-Id` of the answer, as in the log' }),
  At: T.String({ description: 'RFC 3339' }),
  Actor: T.String({ description: '`admin`, the id of the session, or `key:` and the id of a key' }),
  Method: T.String(),
  Path: T.String({ description: 'The route, without the values of its parameters' }),
  Status: T.Integer({ description: 'HTTP status of the answer' }),
  ErrorCode: T.String({ description: 'Empty if the request succeeded' }),
  Ms: T.Integer({ description: 'Milliseconds until the result' }),
  Body: T.Optional(
    T.String({ description: 'JSON, cut after 8,192 characters; only with the setting `bodies`' }),
  ),
})

export const routes = (r: RouteBuilder<{ requests: Requests }>) => [
  r.get('/session/requests', {
    summary: 'List the requests of the session that failed, newest first',
    description:
      'Each with its route, key, error code and request id. Which requests are kept, and for how long, is a setting of the plugin `request-log`: failed ones for 30 days by default. An entry appears up to 25 ms after its answer.',
    access: 'token',
    scope: 'manage',
    example: { limit: '20' },
    body: T.Object({
      before: digits('`Before` of the previous page; the newest when absent'),
      limit: digits(`Page size, at most ${MAX_LIMIT}; 50 when absent`, 4),
      path: T.Optional(
        T.String({ minLength: 1, maxLength: 200, description: 'A route, for example `/send/text`' }),
      ),
      code: T.Optional(T.String({ minLength: 1, maxLength: 60, description: 'An error code' })),
      request: T.Optional(T.String({ minLength: 1, maxLength: 200, description: 'An `X-Request-Id`' })),
      result: T.Optional(T.Union([T.Literal('ok'), T.Literal('failed')])),
      since: T.Optional(T.String({ format: 'date-time', description: 'RFC 3339; requests from then on' })),
      until: T.Optional(T.String({ format: 'date-time', description: 'RFC 3339; requests before' })),
    }),
    response: T.Object({
      Requests: T.Array(LoggedRequestView),
      Before: T.Integer({ description: 'Pass it as `before` to get the next page; 0 if there is none' }),
    }),
    async handle({ body, session }, { requests }) {
      const limit = Math.min(MAX_LIMIT, Number(body.limit ?? '50') || 1)
      const found = await requests.page(session.id, {
        ...body,
        before: body.before === undefined ? Number.MAX_SAFE_INTEGER : Number(body.before),
        limit,
        isFailed: body.result === undefined ? undefined : body.result === 'failed',
        since: body.since === undefined ? undefined : Date.parse(body.since),
        until: body.until === undefined ? undefined : Date.parse(body.until),
      })
      const { items, cursor, isCut } = pageOf(found, toView)
      const isLast = !isCut && found.length < limit
      return { Requests: items, Before: isLast ? 0 : (cursor?.seq ?? 0) }
    },
  }),
]

function toView({ request, at, actor, method, path, status, code, ms, body }: LoggedRequest) {
  return {
    Id: request,
    At: new Date(at).toISOString(),
    Actor: actor,
    Method: method,
    Path: path,
    Status: status,
    ErrorCode: code,
    Ms: ms,
    ...(body === undefined ? {} : { Body: body }),
  }
}
