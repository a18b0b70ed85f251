import type { WebSocket } from 'ws'
import { el } from '../stanza.ts'
import type { Stanza } from '../types.ts'
import type { Link } from './accounts.ts'
import type { ServerIdentity } from './certificate.ts'
import { encode } from './encode.ts'
import { createFrameReader, toFrame } from './frames.ts'
import { createHandshake, type Transport } from './noise.ts'
import type { NetworkState } from './state.ts'

/** Who is on the other end, once the handshake is through; hears its stanzas. */
export interface Peer {
  hear(stanza: Stanza): void
  /** The connection has ended. */
  gone(): void
}

export interface Hello {
  readonly clientKey: Buffer
  readonly payload: Buffer
  readonly link: Link
}

/** Speaks Noise and binary stanzas with one companion; `admit` says who it is, or closes the link. */
export function serveConnection(
  socket: WebSocket,
  state: NetworkState,
  identity: ServerIdentity,
  admit: (hello: Hello) => Peer | undefined,
): void {
  const { wire, log, counters } = state
  const handshake = createHandshake(wire, identity, state.faults.wide.forgesCertificates)
  let transport: Transport | undefined
  let peer: Peer | undefined
  let isHelloRead = false
  /** Stanzas are decoded asynchronously; they are heard in the order in which they came. */
  let heard = Promise.resolve()

  const link: Link = {
    send(stanza) {
      if (!transport || socket.readyState !== socket.OPEN) return
      socket.send(toFrame(transport.encrypt(encode(wire, stanza))))
    },
    close(...last) {
      for (const stanza of last) link.send(stanza)
      socket.close()
    },
  }

  const onFrame = (frame: Buffer): void => {
    if (!transport && state.faults.wide.isSilent) return
    if (transport) {
      const plain = transport.decrypt(frame)
      heard = heard
        .then(async () => {
          counters.stanzasIn += 1
          peer?.hear((await wire.decodeBinaryNode(plain)) as Stanza)
        })
        .catch(fail)
    } else if (!isHelloRead) {
      isHelloRead = true
      socket.send(toFrame(handshake.hello(frame)))
    } else {
      const { clientKey, payload, transport: opened } = handshake.finish(frame)
      transport = opened
      // The client starts its transport only when its own write is done: answering at once could meet it
      // still in the handshake (Baileys Socket/socket.js, finishInit after sendRawMessage).
      setImmediate(() => {
        peer = admit({ clientKey, payload, link })
      })
    }
  }
  const read = createFrameReader(onFrame)

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
  socket.on('close', () => peer?.gone())
}
