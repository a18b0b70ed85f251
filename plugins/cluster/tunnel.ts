import { gatewayError, type RouteCall, reasonOf } from 'wamux/plugin'
import { WebSocket } from 'ws'
import { HOP, passedOn } from './forward.ts'
import type { Owner } from './leases.ts'
import { sign } from './sign.ts'

/** Of the handshake of one connection; the address is the client's, whose origin this node has checked. */
const OWN_HANDSHAKE = /^(sec-websocket-|origin$)/
const HANDSHAKE_MS = 10_000
/** Codes that a peer may send. */
const NO_STATUS = 1005
const GOING_AWAY = 1001

export function isUpgrade({ raw }: Pick<RouteCall, 'raw'>): boolean {
  return raw.headers.upgrade?.toLowerCase() === 'websocket'
}

/**
 * Opens the WebSocket that a client asks for on the node that serves the session, then the client's, and passes on what either
 * says. Rejects CLUSTER_MOVED and CLUSTER_NODE_FAILED as the forwarder does.
 */
export async function tunnel(
  { raw, upgrade }: Pick<RouteCall, 'raw' | 'upgrade'>,
  owner: Pick<Owner, 'url'>,
  secret: string,
): Promise<void> {
  const path = raw.url ?? '/'
  const given = Object.entries(passedOn(raw.headers)).filter(([name]) => !OWN_HANDSHAKE.test(name))
  const headers = { ...Object.fromEntries(given), [HOP]: sign(secret, { method: 'GET', path }) }
  const far = new WebSocket(new URL(path, owner.url.replace(/^http/, 'ws')), {
    headers,
    handshakeTimeout: HANDSHAKE_MS,
    perMessageDeflate: false,
  })
  // What comes before the client's handshake is over.
  const early: [data: Buffer, isBinary: boolean][] = []
  const keep = (data: Buffer, isBinary: boolean): void => void early.push([data, isBinary])
  far.on('message', keep)
  await new Promise<void>((resolve, reject) => {
    far.once('open', resolve)
    far.once('unexpected-response', (_, { statusCode }) =>
      reject(
        statusCode === 421
          ? gatewayError('CLUSTER_MOVED')
          : gatewayError('CLUSTER_NODE_FAILED', [`it refused the WebSocket (${statusCode})`]),
      ),
    )
    far.once('error', (cause) => reject(gatewayError('CLUSTER_NODE_FAILED', [reasonOf(cause)], { cause })))
  })
  const near = await upgrade().catch((error: unknown) => {
    far.terminate()
    throw error
  })
  far.off('message', keep)
  for (const [data, binary] of early) near.send(data, { binary })
  join(far, near)
  join(near, far)
}

function join(from: WebSocket, to: WebSocket): void {
  from.on('message', (data: Buffer, binary: boolean) => to.send(data, { binary }, () => undefined))
  from.on('close', (code, reason) => {
    if (code === NO_STATUS) to.close()
    // A code above 1003 that says how a connection was lost can't be sent.
    else to.close(code >= 3000 || (code >= 1000 && code <= 1003) ? code : GOING_AWAY, reason)
  })
  from.on('error', () => undefined)
}
