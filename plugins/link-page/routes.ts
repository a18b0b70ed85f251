import {
  gatewayAddress,
  gatewayError,
  type Kernel,
  type RouteBuilder,
  type RouteRequest,
  type Session,
  T,
} from 'wamux/plugin'
import type { Attempts } from './attempts.ts'
import type { LinkingWatch } from './linking-watch.ts'
import type { Links } from './links.ts'

export interface LinkDeps extends Kernel<unknown> {
  links: Links
  watch: LinkingWatch
  attempts: Attempts
  publicAddress?: { readonly url: string } | undefined
}

const Options = T.Object({
  ExpiresIn: T.Optional(
    T.Integer({
      minimum: 60,
      maximum: 86_400,
      description: 'Seconds of validity of the link; 900 when absent',
    }),
  ),
  Language: T.Optional(
    T.Enum(['en', 'pt', 'es', 'de', 'id'], {
      description: "Language of the page; the browser's preference when absent",
    }),
  ),
})

const MINUTES_15 = 900

/** Creating and revoking links, for the operator. */
export const routes = <D extends LinkDeps>(r: RouteBuilder<D>) => {
  const created = {
    Url: T.String({ description: 'Address for the person who links the account' }),
    ExpiresAt: T.String({ description: 'RFC 3339' }),
  }
  const revoked = { Details: T.String() }
  const Id = T.String({ description: 'Id of the session' })
  return [
    r.post('/session/link-page', {
      leaves: [],
      summary: 'Create a one-time link with which somebody links the account without a token',
      chain: { uses: { token: 'newToken' } },
      example: { ExpiresIn: 900, Language: 'en' },
      description:
        'Replaces an earlier link of the session. Its address begins with `messages.publicUrl`, or else with the host of this request.',
      access: 'token',
      audit: 'session.link-page',
      body: Options,
      response: T.Object(created),
      handle: (request, deps) => create(request.session, request, deps),
    }),
    r.delete('/session/link-page', {
      leaves: [],
      summary: 'Revoke the link of the session',
      chain: { uses: { token: 'newToken' } },
      description: 'An already open page can no longer link the account.',
      access: 'token',
      audit: 'session.link-page-revoke',
      response: T.Object(revoked),
      handle: ({ session }, deps) => revoke(session, deps),
    }),
    r.post('/session/:id/link-page', {
      leaves: [],
      summary: 'Create a one-time link for a session by its id',
      chain: { uses: { id: 'newSession' } },
      example: { ExpiresIn: 900, Language: 'en' },
      description: 'Like `POST /session/link-page`, with the admin token.',
      access: 'admin',
      audit: 'session.link-page',
      body: Options,
      response: T.Object({ Id, ...created }),
      async handle(request, deps) {
        const session = await byId(deps, request.params['id'])
        return { Id: session.id, ...(await create(session, request, deps)) }
      },
    }),
    r.delete('/session/:id/link-page', {
      leaves: [],
      summary: 'Revoke the link of a session by its id',
      chain: { uses: { id: 'newSession' } },
      description: 'Like `DELETE /session/link-page`, with the admin token.',
      access: 'admin',
      audit: 'session.link-page-revoke',
      response: T.Object({ Id, ...revoked }),
      async handle({ params }, deps) {
        const session = await byId(deps, params['id'])
        return { Id: session.id, ...(await revoke(session, deps)) }
      },
    }),
  ]
}

async function byId({ sessions }: LinkDeps, id = ''): Promise<Session> {
  const session = await sessions.byId(id)
  if (!session) throw gatewayError('SESSION_UNKNOWN')
  return session
}

async function create(
  session: Session,
  { body, header, caller }: Pick<RouteRequest<typeof Options, 'token'>, 'body' | 'header' | 'caller'>,
  { links, watch, publicAddress }: LinkDeps,
): Promise<{ Url: string; ExpiresAt: string }> {
  const { ExpiresIn: seconds = MINUTES_15, Language: language = '' } = body
  if (session.jid) throw gatewayError('ALREADY_PAIRED')
  const expiresAt = Date.now() + seconds * 1000
  const token = await links.create({ session: session.id, language, expiresAt, creator: caller?.id ?? '' })
  watch.notify(session.id)
  const { base } = gatewayAddress(publicAddress?.url ?? '', header)
  return { Url: `${base}/link/${token}`, ExpiresAt: new Date(expiresAt).toISOString() }
}

/** Codes already shown on an opened page become unusable too. */
async function revoke(session: Session, { links, watch, attempts }: LinkDeps): Promise<{ Details: string }> {
  const isOpened = await links.revoke(session.id)
  if (isOpened) await attempts.end(session)
  watch.notify(session.id)
  return { Details: 'Link revoked' }
}
