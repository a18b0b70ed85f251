import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { Agent } from 'undici'
import { gatewayError, type Reply, type RouteCall, reasonOf, reply } from 'wamux/plugin'
import type { Owner } from './leases.ts'
import type { Sign } from './sign.ts'

export const HOP = 'x-wamux-hop'

export interface Forwarder {
  /**
   * Sends a call to another node as it came in. Rejects CLUSTER_MOVED if that one does not serve the session, and nothing was
   * done; CLUSTER_NODE_FAILED otherwise.
   */
  forward(call: Pick<RouteCall, 'raw'>, owner: Owner, body: ForwardBody): Promise<Reply>
  close(): Promise<void>
}

export type ForwardBody = Buffer | IncomingMessage | undefined

/** Of one connection, and not of what follows on it. */
const HOP_BY_HOP = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade host expect'.split(
    ' ',
  ),
)
/** Headers that every answer of this node has anyway. */
const OWN = /^(x-request-id|cache-control)$/

export function createForwarder(sign: Sign): Forwarder {
  // A stream of events is silent for as long as nothing happens.
  const agent = new Agent({
    connect: { timeout: 2_000 },
    connections: 256,
    bodyTimeout: 0,
    headersTimeout: 120_000,
  })
  return {
    async forward({ raw }, owner, body) {
      const method = raw.method ?? 'GET'
      const path = raw.url ?? '/'
      const signature = sign(owner.id, { method, path })
      const headers: Record<string, string> = {
        // By which the other node makes addresses that the client can reach.
        ...(raw.headers.host ? { 'x-forwarded-host': raw.headers.host } : {}),
        ...passedOn(raw.headers),
        [HOP]: signature,
      }
      const isReplaced = body === undefined || Buffer.isBuffer(body)
      if (isReplaced) delete headers['content-length']
      const answer = await agent
        .request({
          origin: owner.url,
          path,
          method: method as 'GET',
          headers,
          // Not the request itself: a connection that fails must not end the client's.
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

/** The headers of a request or an answer that are not of its connection. */
export function passedOn(headers: IncomingHttpHeaders): Record<string, string> {
  const dropped = new Set(
    String(headers.connection ?? '')
      .toLowerCase()
      .split(/\s*,\s*/),
  )
  const kept = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !dropped.has(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, [value ?? ''].flat().join(', ')]))
}
