import type { IncomingMessage } from 'node:http'
import {
  type ErrorCode,
  gatewayError,
  isGatewayError,
  type Kernel,
  type Reply,
  type RouteCall,
  systemViewer,
} from 'wamux/plugin'
import { type CloudMediaStore, EVENT_ID } from '../store/media-store.ts'
import { graphJson, graphReply } from './graph-error.ts'
import { findByNumberId } from './number-id.ts'

/** Prefix of all routes of the dialect; clients choose the version. */
export const ROOT = '/v:version'

/** Of all routes of the dialect. Clients of the Graph API also send what only Meta's servers know. */
export const GRAPH = {
  ignoresUnknown: true,
  query: ['access_token', 'fields', 'name', 'language', 'status'],
} as const

/** Objects that describe the token itself. */
const ABOUT_TOKEN: readonly string[] = ['me', 'debug_token']

type Deps = Pick<Kernel<unknown>, 'sessions' | 'events' | 'log'> & { mediaStore: CloudMediaStore }

/** Accepts credentials in the form of Graph clients, and answers in Graph's form; other routes are unaffected. */
export async function speakGraph(
  call: RouteCall,
  next: () => Promise<unknown>,
  deps: Deps,
): Promise<unknown> {
  const { route, raw, request } = call
  if (!route.path.startsWith(`${ROOT}/`)) return next()
  const isNamed = raw.headers['x-session'] !== undefined
  try {
    const isAdded = await addCredentials(raw, deps)
    const result = await next().catch((error: unknown) => {
      if (!isAdded || !is(error, 'KEY_SESSION_FORBIDDEN')) throw error
      // A caller must not learn whether an object of another session exists, so the answer is as if it did not.
      delete raw.headers['x-session']
      return next()
    })
    return isReply(result) ? result : graphJson(result)
  } catch (error) {
    const id = objectIn(raw)
    if (!isNamed && !ABOUT_TOKEN.includes(id) && is(error, 'KEY_SESSION_MISSING'))
      return graphReply(gatewayError('CLOUD_OBJECT_UNKNOWN', [id]), request)
    // For the other node: the session is served elsewhere.
    if (isGatewayError(error) && error.status === 421) throw error
    if (isGatewayError(error)) return graphReply(error, request)
    deps.log.error({ err: error, request }, 'request of the Cloud API dialect failed')
    return graphReply(gatewayError('INTERNAL'), request)
  }
}

/**
 * `access_token` of the query counts as bearer token. If a token is for several numbers, the path names one: its session is
 * put into the gateway's own header. Resolves with whether that was done.
 */
async function addCredentials(request: IncomingMessage, deps: Deps): Promise<boolean> {
  const { url = '', headers } = request
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const [, version = ''] = pathname.split('/')
  if (!/^v\d{1,3}\.\d$/.test(version)) throw gatewayError('ROUTE_UNKNOWN')
  const inQuery = searchParams.get('access_token')
  if (inQuery && !headers.authorization) headers.authorization = `Bearer ${inQuery}`
  const token = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  if (!token || headers['x-session'] || (await deps.sessions.byToken(token))) return false
  const session = await sessionOf(objectIn(request), deps)
  if (session) headers['x-session'] = session
  return session !== undefined
}

/** The id after the version: of a number, an account or a file. */
function objectIn({ url = '' }: IncomingMessage): string {
  return new URL(url, 'http://localhost').pathname.split('/')[2] ?? ''
}

/** Id of the session to which a phone number, an account or a file belongs. */
async function sessionOf(id: string, { sessions, events, mediaStore }: Deps): Promise<string | undefined> {
  if (EVENT_ID.test(id)) return (await events.find(id, systemViewer()))?.session
  return (await findByNumberId(sessions, id))?.id ?? (await mediaStore.sessionOf(id))
}

function is(error: unknown, code: ErrorCode): boolean {
  return isGatewayError(error) && error.code === code
}

function isReply(result: unknown): result is Reply {
  return typeof result === 'object' && result !== null && '$type' in result
}
