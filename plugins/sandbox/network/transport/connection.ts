import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Link } from '../directory/accounts.ts'
import type { NetworkState } from '../state.ts'
import type { ServerIdentity } from './certificate.ts'
import { createFrameReader, toFrame } from './frames.ts'
import { createHandshake, type Transport } from './noise.ts'

/** The client after the handshake; receives its stanzas. */
export interface Peer {
  receive(stanza: Stanza): void
  /** Called when the connection has closed. */
  closed(): void
}

export interface ClientLogin {
  readonly clientKey: Buffer
  readonly payload: Buffer
  readonly link: Link
}

/**
 * Runs Noise and binary stanzas with one companion; `authenticate` identifies it or closes the connection.
 *
 * @param stream below the WebSocket.
 */
export function serveConnection(
  socket: WebSocket,
  stream: Socket,
  state: NetworkState,
  identity: ServerIdentity,
  authenticate: (login: ClientLogin) => Peer | undefined,
): void {
  const { wire, log, counters } = state
  const handshake = createHandshake(wire, identity, state.faults.networkWide.forgesCertificates)
  let transport: Transport | undefined
  let peer: Peer | undefined
  let isHelloRead = false

  let isCorked = false

  const link: Link = {
    send(stanza) {
      if (!transport || socket.readyState !== socket.OPEN) return
      cork()
      socket.send(toFrame(transport.encrypt(state.encode(stanza))))
    },
    close(...last) {
      for (const stanza of last) link.send(stanza)
      socket.close()
      uncork()
    },
  }

  /** What is sent in one turn of the event loop is written at once, such as the receipts of a group. */
  function cork(): void {
    if (isCorked) return
    isCorked = true
    stream.cork()
    setImmediate(uncork)
  }

  function uncork(): void {
    if (!isCorked) return
    isCorked = false
    stream.uncork()
  }

  const onFrame = (frame: Buffer): void => {
    if (!transport && state.faults.networkWide.isSilent) return
    if (transport) {
      counters.stanzasIn += 1
      peer?.receive(state.decode(transport.decrypt(frame)))
    } else if (!isHelloRead) {
      isHelloRead = true
      socket.send(toFrame(handshake.hello(frame)))
    } else {
      const { clientKey, payload, transport: opened } = handshake.finish(frame)
      transport = opened
      // The client starts its transport only when its own write is done; an immediate answer could reach it
      // during the handshake (Baileys Socket/socket.js, finishInit after sendRawMessage).
      setImmediate(() => {
        peer = authenticate({ clientKey, payload, link })
      })
    }
  }
  const read = createFrameReader(onFrame, () => state.faults.networkWide.frameBytes)

  function fail(error: unknown): void {
    log.debug({ err: error }, 'connection dropped')
    link.close(el('stream:error', { code: 500 }))
    socket.terminate()
  }

  socket.on('message', (data: Buffer) => {
    try {
      read(data)
    } catch (error) {
      fail(error)
    }
  })
  socket.on('error', () => socket.terminate())
  socket.on('close', () => peer?.closed())
}
