import { once } from 'node:events'
import { WebSocket } from 'ws'
import { wire } from '../../../plugins/baileys/protocol/wire.ts'
import { createDecoder } from '../../../plugins/sandbox/network/transport/decode.ts'
import { createEncoder } from '../../../plugins/sandbox/network/transport/encode.ts'
import { toFrame } from '../../../plugins/sandbox/network/transport/frames.ts'
import { IK, INTRO, XX, XX_FALLBACK } from '../../../plugins/sandbox/network/transport/noise.ts'
import {
  createSymmetricState,
  type NoiseTransport,
} from '../../../plugins/sandbox/network/transport/noise-state.ts'
import type { Stanza } from '../../../plugins/sandbox/types.ts'

type KeyPair = ReturnType<typeof wire.Curve.generateKeyPair>

export interface NoiseLogin {
  readonly keys: KeyPair
  /** Encoded ClientPayload. */
  readonly payload: Uint8Array
  /** The static key of the server, with which the client resumes. */
  readonly serverKey?: Buffer
  /** Sent together with the end of the handshake. */
  readonly early?: Stanza
}

/** A connection after the handshake. */
export interface NoiseConnection {
  readonly serverKey: Buffer
  /** What it has received, oldest first. */
  readonly stanzas: readonly Stanza[]
  /** Milliseconds that the stanza came after the last thing that was sent: the end of the handshake, or a stanza. */
  waitedMs(stanza: Stanza): number
  send(stanza: Stanza): void
  close(): Promise<void>
}

const { Curve, proto } = wire
const encode = createEncoder(wire.tokens)
const decode = createDecoder(wire.tokens)

/** The initiator side of Noise XX, IK and XXfallback: a client of the network without a client library. */
export async function connectNoise(url: string, login: NoiseLogin): Promise<NoiseConnection> {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  const ephemeral = Curve.generateKeyPair()
  const resumed = login.serverKey && beginResumed(ephemeral, login, login.serverKey)
  const clientHello = { ephemeral: ephemeral.public, ...resumed?.fields }
  socket.send(Buffer.concat([INTRO, toFrame(proto.HandshakeMessage.encode({ clientHello }).finish())]))
  const [first] = (await once(socket, 'message')) as [Buffer]
  const stanzas: Stanza[] = []
  const waited = new WeakMap<Stanza, number>()
  let sentAt = 0
  let transport: NoiseTransport | undefined
  socket.on('message', (frame: Buffer) => {
    if (!transport) return
    const stanza = decode(transport.decrypt(frame.subarray(3)))
    waited.set(stanza, performance.now() - sentAt)
    stanzas.push(stanza)
  })

  const { serverHello } = proto.HandshakeMessage.decode(first.subarray(3))
  const { ephemeral: remote, static: fixed, payload } = serverHello ?? {}
  if (!remote || !payload) throw new Error('the server hello is incomplete')
  let serverKey: Buffer
  if (resumed && login.serverKey && !fixed?.length) {
    serverKey = login.serverKey
    transport = resumed.finish(remote, payload)
  } else {
    const full = beginFull(ephemeral, login, resumed !== undefined)
    const { finish, key } = full({ remote, fixed: fixed ?? new Uint8Array(), payload })
    serverKey = key
    socket.send(toFrame(proto.HandshakeMessage.encode({ clientFinish: finish.fields }).finish()))
    transport = finish.transport
  }
  sentAt = performance.now()
  const opened = transport
  const send = (stanza: Stanza): void => {
    socket.send(toFrame(opened.encrypt(encode(stanza))))
    sentAt = performance.now()
  }
  if (login.early) send(login.early)

  return {
    serverKey,
    stanzas,
    waitedMs: (stanza) => waited.get(stanza) ?? 0,
    send,
    async close() {
      if (socket.readyState === socket.CLOSED) return
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}

function beginResumed(ephemeral: KeyPair, { keys, payload }: NoiseLogin, serverKey: Buffer) {
  const state = createSymmetricState(wire, IK)
  for (const known of [INTRO, serverKey, ephemeral.public]) state.mixHash(known)
  state.mixKey(Curve.sharedKey(ephemeral.private, serverKey))
  const fixed = state.encrypt(keys.public)
  state.mixKey(Curve.sharedKey(keys.private, serverKey))
  return {
    fields: { static: fixed, payload: state.encrypt(payload) },
    finish(remote: Uint8Array, certificate: Uint8Array): NoiseTransport {
      state.mixHash(remote)
      state.mixKey(Curve.sharedKey(ephemeral.private, remote))
      state.mixKey(Curve.sharedKey(keys.private, remote))
      state.decrypt(certificate)
      return state.split('initiator')
    },
  }
}

function beginFull(ephemeral: KeyPair, { keys, payload }: NoiseLogin, isFallback: boolean) {
  const state = createSymmetricState(wire, isFallback ? XX_FALLBACK : XX)
  for (const known of [INTRO, ephemeral.public]) state.mixHash(known)
  return (hello: { remote: Uint8Array; fixed: Uint8Array; payload: Uint8Array }) => {
    state.mixHash(hello.remote)
    state.mixKey(Curve.sharedKey(ephemeral.private, hello.remote))
    const key = state.decrypt(hello.fixed)
    state.mixKey(Curve.sharedKey(ephemeral.private, key))
    state.decrypt(hello.payload)
    const fixed = state.encrypt(keys.public)
    state.mixKey(Curve.sharedKey(keys.private, hello.remote))
    const fields = { static: fixed, payload: state.encrypt(payload) }
    return { key, finish: { fields, transport: state.split('initiator') } }
  }
}
