import type { GatewayServices } from 'wamux/plugin'
import type { CertificateFault, ServerIdentity } from './certificate.ts'
import { createSymmetricState, type NoiseTransport, type SymmetricState } from './noise-state.ts'

type Wire = GatewayServices['wire']

export const XX = Buffer.from('Noise_XX_25519_AESGCM_SHA256\0\0\0\0')
export const IK = Buffer.from('Noise_IK_25519_AESGCM_SHA256\0\0\0\0')
export const XX_FALLBACK = Buffer.from('Noise_XXfallback_25519_AESGCM_SHA256')
/** The client's first bytes, part of the handshake hash: "WA", version 6, dictionary 3. */
export const INTRO = Buffer.from([87, 65, 6, 3])

/** How a handshake ran: full, resumed, or full because the server could not resume. */
export type Pattern = 'XX' | 'IK' | 'XXfallback'

export interface NoiseLogin {
  readonly clientKey: Buffer
  readonly payload: Buffer
  readonly transport: NoiseTransport
  readonly pattern: Pattern
}

export interface Handshake {
  /** Answers a ClientHello. With `login` the client has resumed, and the handshake is complete. */
  hello(clientHello: Uint8Array): { readonly answer: Uint8Array; readonly login?: NoiseLogin }
  /** The client's static key and its decrypted payload. Throws if authentication fails. */
  finish(clientFinish: Uint8Array): NoiseLogin
}

/**
 * The responder side of Noise XX, IK and XXfallback, as on the real server. A client that has stored the server's static
 * key resumes with IK, whose first message carries its login. If the server has a new key and can't decrypt that message,
 * it answers with XXfallback (zapo-js transport/noise/WaNoiseSession).
 */
export function createHandshake(
  wire: Wire,
  identity: ServerIdentity,
  fault: CertificateFault | undefined,
): Handshake {
  const { Curve, proto } = wire
  const { keys } = identity
  const ephemeral = Curve.generateKeyPair()
  let state: SymmetricState | undefined
  let pattern: Pattern = 'XX'

  type ClientHello = NonNullable<ReturnType<typeof proto.HandshakeMessage.decode>['clientHello']>

  function readHello(bytes: Uint8Array): ClientHello & { ephemeral: Uint8Array } {
    const { clientHello } = proto.HandshakeMessage.decode(bytes)
    if (!clientHello?.ephemeral) throw new Error('no ephemeral key in the client hello')
    return Object.assign(clientHello, { ephemeral: clientHello.ephemeral })
  }

  /** Undefined if the client has another static key of the server. */
  function resume(hello: ReturnType<typeof readHello>): ReturnType<Handshake['hello']> | undefined {
    if (!hello.static || !hello.payload || fault) return undefined
    const resumed = createSymmetricState(wire, IK)
    for (const known of [INTRO, keys.public, hello.ephemeral]) resumed.mixHash(known)
    resumed.mixKey(Curve.sharedKey(keys.private, hello.ephemeral))
    const clientKey = resumed.tryDecrypt(hello.static)
    if (!clientKey) return undefined
    resumed.mixKey(Curve.sharedKey(keys.private, clientKey))
    const payload = resumed.decrypt(hello.payload)
    resumed.mixHash(ephemeral.public)
    resumed.mixKey(Curve.sharedKey(ephemeral.private, hello.ephemeral))
    resumed.mixKey(Curve.sharedKey(ephemeral.private, clientKey))
    const serverHello = { ephemeral: ephemeral.public, payload: resumed.encrypt(identity.chain()) }
    const answer = proto.HandshakeMessage.encode({ serverHello }).finish()
    return { answer, login: { clientKey, payload, transport: resumed.split('responder'), pattern: 'IK' } }
  }

  function answerInFull(hello: ReturnType<typeof readHello>): Uint8Array {
    pattern = hello.static ? 'XXfallback' : 'XX'
    state = createSymmetricState(wire, pattern === 'XX' ? XX : XX_FALLBACK)
    for (const known of [INTRO, hello.ephemeral, ephemeral.public]) state.mixHash(known)
    state.mixKey(Curve.sharedKey(ephemeral.private, hello.ephemeral))
    const fixed = state.encrypt(keys.public)
    state.mixKey(Curve.sharedKey(keys.private, hello.ephemeral))
    const payload = state.encrypt(identity.chain(fault))
    const serverHello = { ephemeral: ephemeral.public, static: fixed, payload }
    return proto.HandshakeMessage.encode({ serverHello }).finish()
  }

  return {
    hello(bytes) {
      const hello = readHello(bytes)
      return resume(hello) ?? { answer: answerInFull(hello) }
    },
    finish(bytes) {
      const { clientFinish } = proto.HandshakeMessage.decode(bytes)
      if (!state || !clientFinish?.static || !clientFinish.payload)
        throw new Error('the client finish is incomplete')
      const clientKey = state.decrypt(clientFinish.static)
      state.mixKey(Curve.sharedKey(ephemeral.private, clientKey))
      const payload = state.decrypt(clientFinish.payload)
      return { clientKey, payload, transport: state.split('responder'), pattern }
    },
  }
}
