import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { gatewayError, type Reply, type RouteCall, reasonOf, reply } from 'wamux/plugin'
import { type RawData, WebSocket } from 'ws'
import { addressOn, type HopHeaders, passedOn } from './forward.ts'
import type { Owner } from './leases.ts'

/** Handshake headers of one connection, and the origin, which this node has already checked. */
const OWN_HANDSHAKE = /^(sec-websocket-|origin$)/
const HANDSHAKE_MS = 10_000
/** Unsent bytes to a client above which reading from the owner pauses. */
const MAX_BUFFERED = 1024 * 1024
/** Close codes: no code received, and the one to send instead. */
const NO_STATUS = 1005
const GOING_AWAY = 1001

export function isUpgrade({ raw }: Pick<RouteCall, 'raw'>): boolean {
  return raw.headers.upgrade?.toLowerCase() === 'websocket'
}

/**
 * Opens a client's WebSocket first on the node that serves the session, then to the client, and relays messages both ways
 * until either closes; resolves with that node's answer if it refuses. Rejects CLUSTER_MOVED and CLUSTER_NODE_FAILED like
 * the forwarder.
 */
export async function tunnel(
  { raw, address: client, upgrade }: Pick<RouteCall, 'raw' | 'address' | 'upgrade'>,
  owner: Pick<Owner, 'id' | 'url'>,
  hop: HopHeaders,
): Promise<Reply | undefined> {
  const address = addressOn(owner, raw)
  const path = address.pathname + address.search
  const given = Object.entries(passedOn(raw.headers)).filter(([name]) => !OWN_HANDSHAKE.test(name))
  const headers = { ...Object.fromEntries(given), ...hop(owner.id, { method: 'GET', path }, client) }
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:'
  // The client answers the pings of the owner.
  const options = { headers, handshakeTimeout: HANDSHAKE_MS, perMessageDeflate: false, autoPong: false }
  const far = new WebSocket(address, options)
  // Messages that arrive before the client's handshake is complete.
  const early: [data: RawData, isBinary: boolean][] = []
  const keep = (data: RawData, isBinary: boolean): void => void early.push([data, isBinary])
  far.on('message', keep)
  const refusal = await opened(far)
  if (refusal) return refusal
  const near = await upgrade().catch((error: unknown) => {
    far.terminate()
    throw error
  })
  far.off('message', keep)
  for (const [data, binary] of early) near.send(data, { binary })
  join(far, near)
  join(near, far)
  far.on('ping', (data) => near.ping(data))
  near.on('pong', (data) => far.pong(data))
  await new Promise((resolve) => near.once('close', resolve))
  return undefined
}

/** Resolves when it is open, or with the answer that refuses it. */
async function opened(far: WebSocket): Promise<Reply | undefined> {
  const response = await new Promise<IncomingMessage | undefined>((resolve, reject) => {
    far.once('open', () => resolve(undefined))
    far.once('unexpected-response', (_, answer) => resolve(answer))
    far.on('error', (cause) => reject(gatewayError('CLUSTER_NODE_FAILED', [reasonOf(cause)], { cause })))
  })
  if (!response) return undefined
  const body = await text(response)
  const status = response.statusCode ?? 502
  if (status === 421) throw gatewayError('CLUSTER_MOVED')
  return reply(body, { 'Content-Type': response.headers['content-type'] ?? 'application/json' }, status)
}

function join(from: WebSocket, to: WebSocket): void {
  from.on('message', (data, binary) => {
    to.send(data, { binary }, () => {
      if (from.isPaused && to.bufferedAmount < MAX_BUFFERED) from.resume()
    })
    if (to.bufferedAmount >= MAX_BUFFERED) from.pause()
  })
  from.on('close', (code, reason) => {
    if (code === NO_STATUS) to.close()
    // Codes that describe a lost connection can't be sent.
    else to.close(code >= 3000 || (code >= 1000 && code <= 1003) ? code : GOING_AWAY, reason)
  })
  from.on('error', () => undefined)
}
