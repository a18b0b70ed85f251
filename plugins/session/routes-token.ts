import { gatewayError, type Kernel, type RouteBuilder, type Session, T } from 'wamux/plugin'
import { Labels } from './schemas.ts'

type Deps = Kernel<unknown>

const Rotation = T.Object({
  GraceSeconds: T.Optional(
    T.Integer({
      minimum: 0,
      maximum: 7 * 86_400,
      description:
        'Seconds for which the old token stays valid; 0 when absent, which is right for a leaked one',
    }),
  ),
  RevokeKeys: T.Optional(
    T.Boolean({ description: 'Also revoke the keys created with the tokens of this session' }),
  ),
})
const Rotated = T.Object({
  Id: T.String({ description: 'Id of the session' }),
  Token: T.String({ description: 'The new token' }),
  OldTokenUntil: T.String({ description: 'RFC 3339; empty if the old token is already invalid' }),
  RevokedKeys: T.Integer(),
})
const Change = T.Object({
  Name: T.Optional(T.String({ maxLength: 256, description: 'New name' })),
  Labels: T.Optional(Labels),
})
const Changed = T.Object({ Id: T.String(), Name: T.String(), Labels })

/** Replacing a token; renaming a session and labelling it. By its own token, or by its id for the admin. */
export const tokenRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/session/token', {
    leaves: [],
    isDestructive: true,
    summary: "Replace the session's token with a new one",
    description:
      'The link is not touched, and running requests finish. The old token is then refused, and streams opened with it end.',
    chain: { uses: { token: 'newToken' }, saves: { newToken: 'Token' } },
    access: 'token',
    scope: 'owner',
    audit: 'session.token',
    body: Rotation,
    response: Rotated,
    handle: ({ body, session }, deps) => rotate(session, body, deps),
  }),
  r.post('/session/:id/token', {
    leaves: [],
    isDestructive: true,
    summary: 'Replace the token of a session by its id',
    description: 'Like `POST /session/token`, with the admin token: for a lost or leaked token.',
    chain: { uses: { id: 'newSession' }, saves: { newToken: 'Token' } },
    access: 'admin',
    scope: 'owner',
    audit: 'session.token',
    body: Rotation,
    response: Rotated,
    handle: async ({ body, params }, deps) => rotate(await byId(deps, params['id']), body, deps),
  }),
  r.post('/session/update', {
    leaves: [],
    isIdempotent: true,
    summary: 'Rename the session, or set its labels',
    description: 'Absent fields are unchanged. `Labels` replaces all labels.',
    example: { Name: 'shop', Labels: { customer: 'acme' } },
    chain: { uses: { token: 'newToken' } },
    access: 'token',
    audit: 'session.update',
    body: Change,
    response: Changed,
    handle: ({ body, session }, deps) => change(session, body, deps),
  }),
  r.post('/session/:id/update', {
    leaves: [],
    summary: 'Rename a session by its id, or set its labels',
    description: 'Like `POST /session/update`, with the admin token.',
    example: { Labels: { customer: 'acme' } },
    chain: { uses: { id: 'newSession' } },
    access: 'admin',
    audit: 'session.update',
    body: Change,
    response: Changed,
    handle: async ({ body, params }, deps) => change(await byId(deps, params['id']), body, deps),
  }),
]

async function byId({ sessions }: Deps, id = ''): Promise<Session> {
  const session = await sessions.byId(id)
  if (!session) throw gatewayError('SESSION_UNKNOWN')
  return session
}

async function rotate(
  { id }: Session,
  { GraceSeconds = 0, RevokeKeys = false }: { GraceSeconds?: number; RevokeKeys?: boolean },
  { contributions, sessions, log }: Deps,
) {
  const until = Date.now() + GraceSeconds * 1000
  const { token } = await sessions.rotateToken(id, GraceSeconds * 1000)
  let RevokedKeys = 0
  if (RevokeKeys)
    for (const { value } of contributions('sessionKeys')) RevokedKeys += await value.revokeOf(id)
  log.info({ session: id, graceSeconds: GraceSeconds, revokedKeys: RevokedKeys }, 'session token replaced')
  return {
    Id: id,
    Token: token,
    OldTokenUntil: GraceSeconds > 0 ? new Date(until).toISOString() : '',
    RevokedKeys,
  }
}

async function change(
  { id }: Session,
  { Name, Labels: given }: { Name?: string; Labels?: Record<string, string> },
  { sessions }: Deps,
) {
  const { name, labels } = await sessions.update(id, {
    ...(Name === undefined ? {} : { name: Name }),
    ...(given ? { labels: given } : {}),
  })
  return { Id: id, Name: name, Labels: { ...labels } }
}
