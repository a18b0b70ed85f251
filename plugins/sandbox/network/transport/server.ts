import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import type { Stanza } from '../../types.ts'
import type { NetworkState } from '../state.ts'
import { createIdentity } from './certificate.ts'
import { type Peer, serveConnection } from './connection.ts'
import { MAX_FRAME_BYTES } from './frames.ts'
import { authenticate, nameOf } from './login.ts'
import type { Tap } from './tap.ts'
import { serveWebSite } from './web-site.ts'

/** Bytes before a frame's payload: its length, and for the first frame the intro and routing information. */
const MAX_HEAD_BYTES = 1024

/** An event of a logged-in link; links are numbered. */
export type WireEvent =
  | { kind: 'open'; link: number; device: string }
  | { kind: 'closed'; link: number; device: string }
  | { kind: 'stanza'; link: number; device: string; stanza: Stanza }

export type Observe = (event: WireEvent) => void

/** The server of the wire protocol, with its web site. */
export interface WireServer {
  readonly url: string
  /** Public key (32 bytes) that signs the Noise certificate chain. */
  readonly rootKey: Buffer
  /** Presents a new static key from now on. */
  renewKey(): void
  disconnectAll(): void
  close(): Promise<void>
}

/** @param port 0 for the one that it had, or else a free one. */
export async function openServer(
  state: NetworkState,
  tap: Tap,
  port = 0,
  observe?: Observe,
): Promise<WireServer> {
  const { slot } = state.snapshots
  const identity = createIdentity(state.wire, slot)
  const own = slot('network', () => ({ port: 0 }))
  const site = createServer(serveWebSite(state))
  const server = new WebSocketServer({
    server: site,
    perMessageDeflate: false,
    // Clients send one frame per message; the frame of a larger message would exceed the length field.
    maxPayload: MAX_FRAME_BYTES + MAX_HEAD_BYTES,
  })
  await new Promise<void>((resolve, reject) => {
    site.once('error', reject)
    site.listen(port || own.port, '127.0.0.1', resolve)
  })
  own.port = (site.address() as AddressInfo).port
  server.on('connection', (socket, request) => {
    const { isDown, flapping } = state.faults.networkWide
    if (isDown || flapping?.isDown) return socket.terminate()
    serveConnection(socket, request.socket, state, identity, (login) => {
      const name = nameOf(state, login)
      const peer = authenticate(state, { ...login, link: tap.link(login.link, name) })
      const seen = peer && tap.peer(peer, name)
      return seen && observe ? observed(seen, observe) : seen
    })
    return undefined
  })
  const disconnectAll = (): void => server.clients.forEach((client) => void client.terminate())
  return {
    url: `ws://127.0.0.1:${own.port}/ws/chat`,
    rootKey: identity.root,
    renewKey: identity.renew,
    disconnectAll,
    async close() {
      disconnectAll()
      const closed = new Promise<void>((resolve) => site.close(() => resolve()))
      server.close()
      site.closeAllConnections()
      await closed
    },
  }
}

let links = 0

/** The same client, with its events reported to `observe`. */
function observed(peer: Peer, observe: Observe): Peer {
  const { device } = peer
  if (device === undefined) return peer
  links += 1
  const link = links
  observe({ kind: 'open', link, device })
  return {
    device,
    receive(stanza) {
      observe({ kind: 'stanza', link, device, stanza })
      peer.receive(stanza)
    },
    closed() {
      observe({ kind: 'closed', link, device })
      peer.closed()
    },
  }
}
