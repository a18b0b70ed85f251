import type { Socket } from 'node:net'
import { reasonOf } from 'wamux/plugin'
import type { WebSocket } from 'ws'
import { el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { DeviceLink } from '../directory/accounts.ts'
import type { NetworkState } from '../state.ts'
import type { ServerIdentity } from './certificate.ts'
import { createFrameReader, toFrame } from './frames.ts'
import { createHandshake, type NoiseLogin } from './noise.ts'
import type { NoiseTransport } from './noise-state.ts'

/** The client after the handshake, as the receiver of its stanzas. */
export interface Peer {
  /** JID of the device; absent until it is linked. */
  readonly device?: string
  receive(stanza: Stanza): void
  /** Called when the connection has closed. */
  closed(): void
}

export interface ClientLogin {
  readonly clientKey: Buffer
  readonly payload: Buffer
  readonly link: DeviceLink
}

/** Pause between the end of the handshake and the first stanza. */
const OPENING_MS = 40
/** WebSocket close code for a client that violates the protocol. */
const PROTOCOL_ERROR = 1002
/** Limit of a WebSocket's close reason, in bytes. */
const MAX_REASON = 120

/**
 * Runs Noise and binary stanzas with one companion; `authenticate` identifies it or closes the connection.
 *
 * @param stream the socket below the WebSocket.
 */
export function serveConnection(
  socket: WebSocket,
  stream: Socket,
  state: NetworkState,
  identity: ServerIdentity,
  authenticate: (login: ClientLogin) => Peer | undefined,
): void {
  const { wire, log, counters } = state
  const handshake = createHandshake(wire, identity, state.faults.networkWide.certificate)
  let transport: NoiseTransport | undefined
  let peer: Peer | undefined
  let isHelloRead = false
  let opening: NodeJS.Timeout | undefined
  /** Frames of a client that does not wait for the first stanza. */
  const early: Buffer[] = []

  let isCorked = false
  /** Frames that arrive later are not read. */
  let isClosed = false

  const link: DeviceLink = {
    send(stanza) {
      state.snapshots.afterStore(() => {
        if (!transport || socket.readyState !== socket.OPEN) return
        cork()
        socket.send(toFrame(transport.encrypt(state.encode(stanza))))
      })
    },
    close(...last) {
      isClosed = true
      for (const stanza of last) link.send(stanza)
      state.snapshots.afterStore(() => {
        socket.close()
        uncork()
      })
    },
  }

  /** Writes everything sent in one turn of the event loop at once, for example the receipts of a group. */
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
    if (opening) early.push(frame)
    else if (transport) receive(frame)
    else if (isHelloRead) complete(handshake.finish(frame))
    else {
      isHelloRead = true
      const { answer, login } = handshake.hello(frame)
      socket.send(toFrame(answer))
      if (login) complete(login)
    }
  }

  function receive(frame: Buffer): void {
    if (!transport || isClosed) return
    counters.stanzasIn += 1
    peer?.receive(state.decode(transport.decrypt(frame)))
  }

  /**
   * The client starts its transport only when its own write is done, so the first stanza could reach it during the handshake
   * (Baileys Socket/socket.js, finishInit after sendRawMessage; version 6 then stalls). The real network answers later.
   */
  function complete({ clientKey, payload, transport: opened, pattern }: NoiseLogin): void {
    transport = opened
    if (pattern === 'IK') counters.resumed += 1
    if (pattern === 'XXfallback') counters.fallbacks += 1
    opening = setTimeout(() => {
      opening = undefined
      attempt(() => {
        peer = authenticate({ clientKey, payload, link })
        for (const frame of early.splice(0)) receive(frame)
      })
    }, OPENING_MS)
  }

  const read = createFrameReader(onFrame, () => state.faults.networkWide.frameBytes)

  function fail(error: unknown): void {
    log.debug({ err: error }, 'connection dropped')
    if (!transport) return socket.close(PROTOCOL_ERROR, reasonOf(error).slice(0, MAX_REASON))
    link.close(el('stream:error', { code: 500 }))
    state.snapshots.afterStore(() => socket.terminate())
    return undefined
  }

  function attempt(run: () => void): void {
    try {
      run()
    } catch (error) {
      fail(error)
    }
  }

  socket.on('message', (data: Buffer) => attempt(() => read(data)))
  socket.on('error', () => socket.terminate())
  socket.on('close', () => {
    clearTimeout(opening)
    peer?.closed()
  })
}
