import {
  type Assets,
  eventStream,
  type GatewayAddress,
  gatewayAddress,
  gatewayError,
  type Kernel,
  type Reply,
  type RouteBuilder,
  reply,
  type Session,
  type Socket,
  T,
} from 'wamux/plugin'
import type { Attempts } from './attempts.ts'
import type { Codes } from './codes.ts'
import type { LinkPageConfig } from './config.ts'
import { endPage, linkPage, momentPage, type PageParts, startPage } from './documents.ts'
import type { LinkingWatch } from './linking-watch.ts'
import { isHolder, isSecret, type Link, newSecret } from './links.ts'
import type { LinkDeps } from './routes.ts'
import { stream } from './stream.ts'
import { languageOf, preferencesIn } from './texts.ts'
import { cookieOf, isUsable, KEEP_MS, readCookie, type Visits } from './visits.ts'

export interface PageDeps extends LinkDeps, Kernel<LinkPageConfig> {
  config: LinkPageConfig
  visits: Visits
  codes: Codes
  files: Assets
  attempts: Attempts
  watch: LinkingWatch
}

type Header = (name: string) => string

interface PageRequest {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly header: Header
}

const access = 'public'
const Done = T.Object({ Details: T.String() }, { title: 'Done' })
const Document = T.Unknown({ contentMediaType: 'text/html', description: 'An HTML document' })
const Text = T.String({ minLength: 1, maxLength: 16_384 })
const errors = ['LINK_PAGE_UNKNOWN', 'LINK_PAGE_OVER', 'LINK_PAGE_FOREIGN'] as const

/** The page of a link and the routes that its script calls. A cookie identifies the browser. */
export const pageRoutes = <D extends PageDeps>(r: RouteBuilder<D>) => [
  r.get('/link-page/:file', {
    summary: 'Files of the page on which an account is linked',
    description: 'Scripts and styles of `GET /link/{token}`.',
    access,
    errors: ['ROUTE_UNKNOWN', 'LINK_PAGE_UNBUILT'],
    response: T.Unknown({ contentMediaType: 'application/octet-stream', description: 'The file' }),
    handle: ({ params, header }, { files }) => files.get(params['file'] ?? '', header('accept-encoding')),
  }),
  r.get('/link/:token', {
    query: ['lang'],
    summary: 'Page of a one-time link',
    description: 'For the browser in which the account is linked; needs no token of wamux.',
    access,
    errors,
    response: Document,
    handle: (request, deps) => show(request, deps),
  }),
  r.post('/link/:token', {
    query: ['lang'],
    leaves: [],
    summary: 'Use a one-time link: binds it to this browser and starts linking',
    description: 'The form of the page. Another browser is refused from then on.',
    access,
    errors,
    response: Document,
    handle: (request, deps) => open(request, deps),
  }),
  r.get('/link/:token/stream', {
    summary: 'Stream the states of linking as server-sent events',
    description: 'For the script of the page; a cookie identifies the browser.',
    access,
    errors,
    response: T.Unknown({ contentMediaType: 'text/event-stream', description: 'Server-sent events' }),
    async handle({ params, header, signal }, deps) {
      const { link, session } = await deps.visits.recognize(params['token'] ?? '', header('cookie'))
      // A restart of the gateway may have ended the client.
      if (isUsable(link) && session.state === 'offline') await deps.attempts.start(session)
      return eventStream(stream(params['token'] ?? '', deps, signal))
    },
  }),
  r.post('/link/:token/code', {
    leaves: [],
    summary: 'Request a pairing code',
    description: 'For the script of the page: the owner types the code into the phone.',
    example: { Phone: '5511999999999' },
    access,
    errors: [...errors, 'LINK_PAGE_CODES', 'LINK_PAGE_REFUSED', 'NETWORK_SILENT'],
    body: T.Object({ Phone: T.String({ minLength: 1, format: 'phone', description: 'With country code' }) }),
    response: T.Object({ Code: T.String(), ExpiresIn: T.Integer({ description: 'Milliseconds' }) }),
    async handle({ params, body, header }, { visits, codes, watch }) {
      const { link } = await visits.admit(params['token'] ?? '', header('cookie'))
      const { text, until } = await codes.request(link, body.Phone)
      watch.notify(link.session)
      return { Code: text, ExpiresIn: until - Date.now() }
    },
  }),
  r.post('/link/:token/retry', {
    leaves: [],
    summary: 'Begin linking again',
    description: 'For the script of the page, after linking has failed or a code has expired.',
    access,
    errors,
    response: Done,
    async handle({ params, header }, { visits, codes, attempts, sessions, watch }) {
      const { link, session } = await visits.admit(params['token'] ?? '', header('cookie'))
      await attempts.end(session)
      codes.drop(link)
      await attempts.start((await sessions.byId(session.id)) ?? session)
      watch.notify(session.id)
      return { Details: 'Started' }
    },
  }),
  r.post('/link/:token/cancel', {
    leaves: [],
    summary: 'End linking',
    description: 'For the script of the page.',
    access,
    errors,
    response: Done,
    async handle({ params, header }, { visits, attempts, watch }) {
      const { session } = await visits.admit(params['token'] ?? '', header('cookie'))
      await attempts.end(session)
      watch.notify(session.id)
      return { Details: 'Ended' }
    },
  }),
  r.post('/link/:token/passkey', {
    leaves: [],
    summary: 'Send the signed passkey challenge',
    description: 'For the script of the page. The body is the JSON of `PublicKeyCredential.toJSON()`.',
    example: {
      id: 'AQIDBA',
      rawId: 'AQIDBA',
      type: 'public-key',
      response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA' },
    },
    access,
    errors,
    body: T.Object(
      {
        id: Text,
        rawId: Text,
        type: Text,
        response: T.Object(
          {
            clientDataJSON: Text,
            authenticatorData: Text,
            signature: Text,
            userHandle: T.Optional(T.Union([T.String({ maxLength: 16_384 }), T.Null()])),
          },
          { additionalProperties: true },
        ),
      },
      { additionalProperties: true, description: 'The JSON of `PublicKeyCredential.toJSON()`' },
    ),
    response: Done,
    async handle({ params, body, header }, { visits, watch }) {
      const { session } = await visits.admit(params['token'] ?? '', header('cookie'))
      await passkeyOf(session).submit(body)
      watch.notify(session.id)
      return { Details: 'Sent' }
    },
  }),
  r.post('/link/:token/passkey/confirm', {
    leaves: [],
    summary: 'Confirm that the phone shows the same code',
    description: 'For the script of the page, once the owner has compared both codes.',
    access,
    errors,
    response: Done,
    async handle({ params, header }, { visits, watch }) {
      const { session } = await visits.admit(params['token'] ?? '', header('cookie'))
      await passkeyOf(session).confirm()
      watch.notify(session.id)
      return { Details: 'Confirmed' }
    },
  }),
]

function passkeyOf({ socket }: Session): Socket['passkey'] {
  if (!socket) throw gatewayError('NO_CLIENT')
  return socket.passkey
}

async function show(request: PageRequest, deps: PageDeps): Promise<Reply> {
  const { params, header } = request
  const token = params['token'] ?? ''
  const link = await deps.links.find(token)
  const parts = partsOf(request, link, deps.config)
  if (!link) return endPage('unknown', parts)
  if (link.state === 'revoked') return endPage('revoked', parts)
  const cookie = readCookie(header('cookie'))
  const isOwn = isHolder(link, cookie)
  if (isOwn && (isUsable(link) || link.state === 'linked'))
    return linkPage({ ...parts, extensionId: deps.config.extensionId })
  if (link.holder && !isOwn) return foreign(request, parts)
  if (link.expiresAt <= Date.now()) return endPage('expired', parts)
  const address = gatewayAddress(deps.publicAddress?.url ?? '', header)
  const minutes = Math.ceil((link.expiresAt - Date.now()) / 60_000)
  return startPage({ ...parts, minutes, cookie: candidate(token, cookie, link, address) })
}

/** For a browser without the cookie, which may be missing only because another site opened the page. */
function foreign({ header }: PageRequest, parts: PageParts): Reply {
  return header('sec-fetch-site') === 'cross-site' ? momentPage(parts) : endPage('used', parts)
}

/**
 * The cookie is set before the link is used: using it twice from one browser, because the first answer was lost, is the same
 * as using it once.
 */
function candidate(
  token: string,
  known: string,
  { expiresAt }: Link,
  { path, isSecure }: GatewayAddress,
): string {
  const seconds = Math.ceil((expiresAt + KEEP_MS - Date.now()) / 1000)
  return cookieOf(isSecret(known) ? known : newSecret(), `${path}/link/${token}`, isSecure, seconds)
}

async function open(request: PageRequest, deps: PageDeps): Promise<Reply> {
  const { links, sessions, attempts, log, config } = deps
  const { params, query, header } = request
  const token = params['token'] ?? ''
  const link = await links.find(token)
  const parts = partsOf(request, link, config)
  if (!link) return endPage('unknown', parts)
  const cookie = readCookie(header('cookie'))
  if (link.state === 'new') {
    if (link.expiresAt <= Date.now()) return endPage('expired', parts)
    if (!isSecret(cookie)) return endPage('cookies', parts)
    if (await links.open(link, cookie)) log.info({ session: link.session }, 'link page opened')
  }
  const now = await links.find(token)
  const session = await sessions.byId(link.session)
  if (!now || !session) throw gatewayError('LINK_PAGE_UNKNOWN')
  if (!isHolder(now, cookie)) return endPage(now.state === 'revoked' ? 'revoked' : 'used', parts)
  await attempts.start(session)
  const language = query.get('lang') ? `?lang=${parts.language}` : ''
  return reply('', { Location: `${token}${language}` }, 303)
}

function partsOf({ query, header }: PageRequest, link: Link | undefined, config: LinkPageConfig): PageParts {
  const { language: fallback, serviceName } = config
  const chosen = [query.get('lang') ?? '', link?.language ?? '']
  const language = languageOf([...chosen, ...preferencesIn(header('accept-language')), fallback])
  return { language, serviceName }
}
