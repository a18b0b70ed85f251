import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { Agent } from 'undici'
import { gatewayError, type Reply, reasonOf, reply } from 'wamux/plugin'
import type { Owner } from './leases.ts'
import type { ClientMarks, Sign, Signed } from './sign.ts'

export const HOP = 'x-wamux-hop'
/** The address of the client. */
export const CLIENT = 'x-wamux-client'

/** The headers by which another node recognizes a request from a node. */
export type HopHeaders = (to: string, signed: Signed, address: string) => Record<string, string>

export function createHopHeaders(sign: Sign, { mark }: ClientMarks): HopHeaders {
  return (to, signed, address) => {
    const signature = sign(to, signed)
    return { [HOP]: signature, [CLIENT]: mark(signature, address) }
  }
}

export interface ForwardedCall {
  readonly raw: Pick<IncomingMessage, 'method' | 'url' | 'headers'>
  readonly address: string
}

export interface Forwarder {
  /**
   * Forwards a call unchanged to another node. Rejects CLUSTER_MOVED if that node does not serve the session and did
   * nothing, CLUSTER_NODE_FAILED otherwise.
   *
   * @param signal ends it, the body of the answer included.
   */
  forward(call: ForwardedCall, owner: Owner, body: ForwardBody, signal?: AbortSignal): Promise<Reply>
  close(): Promise<void>
}

export type ForwardBody = Buffer | IncomingMessage | undefined

/** Hop-by-hop headers. */
const HOP_BY_HOP = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade host expect'.split(
    ' ',
  ),
)
/** Headers that this node sets on every answer. */
const OWN = /^(x-request-id|cache-control)$/

export function createForwarder(hop: HopHeaders): Forwarder {
  // An event stream is silent while nothing happens.
  const agent = new Agent({
    connect: { timeout: 2_000 },
    connections: 256,
    bodyTimeout: 0,
    headersTimeout: 120_000,
  })
  return {
    async forward({ raw, address }, owner, body, signal) {
      const method = raw.method ?? 'GET'
      const { origin, pathname, search } = addressOn(owner, raw)
      const path = pathname + search
      const headers: Record<string, string> = {
        // The other node uses them to build addresses that the client can reach.
        ...(raw.headers.host ? { 'x-forwarded-host': raw.headers.host } : {}),
        ...passedOn(raw.headers),
        ...hop(owner.id, { method, path }, address),
      }
      const isReplaced = body === undefined || Buffer.isBuffer(body)
      if (isReplaced) delete headers['content-length']
      const answer = await agent
        .request({
          origin,
          path,
          method: method as 'GET',
          headers,
          ...(signal ? { signal } : {}),
          // A copy instead of the request itself: a failed connection must not end the client's.
          body: isReplaced ? (body ?? null) : body.pipe(new PassThrough()),
        })
        .catch((cause: unknown) => {
          throw gatewayError('CLUSTER_NODE_FAILED', [reasonOf(cause)], { cause })
        })
      if (answer.statusCode === 421) {
        await answer.body.dump()
        throw gatewayError('CLUSTER_MOVED')
      }
      const kept = Object.entries(passedOn(answer.headers)).filter(([name]) => !OWN.test(name))
      return reply(answer.body, Object.fromEntries(kept), answer.statusCode)
    },
    close: () => agent.close(),
  }
}

/** The URL of a request on another node: the host is always that node's, whatever the client's target names. */
export function addressOn(
  { url }: Pick<Owner, 'url'>,
  { url: target = '/' }: Pick<IncomingMessage, 'url'>,
): URL {
  const address = new URL(url)
  const [pathname = '/', ...query] = target.split('?')
  address.pathname = pathname
  address.search = query.join('?')
  return address
}

/** The headers of a request or an answer without the hop-by-hop ones. */
export function passedOn(headers: IncomingHttpHeaders): Record<string, string> {
  const named = String(headers.connection ?? '').split(',')
  const dropped = new Set(named.map((name) => name.trim().toLowerCase()))
  const kept = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !dropped.has(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, [value ?? ''].flat().join(', ')]))
}
