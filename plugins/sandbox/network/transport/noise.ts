import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import type { GatewayServices } from 'wamux/plugin'
import type { ServerIdentity } from './certificate.ts'

type Wire = GatewayServices['wire']

/** Exactly 32 bytes, so Noise uses it unhashed. */
const PROTOCOL = Buffer.from('Noise_XX_25519_AESGCM_SHA256\0\0\0\0')
/** The client's first bytes, part of the handshake hash: "WA", version 6, dictionary 3. */
export const INTRO = Buffer.from([87, 65, 6, 3])

export interface Handshake {
  /** ServerHello for a ClientHello. */
  hello(clientHello: Uint8Array): Uint8Array
  /** The client's static key and its decrypted payload. Throws if authentication fails. */
  finish(clientFinish: Uint8Array): { clientKey: Buffer; payload: Buffer; transport: Transport }
}

export interface Transport {
  encrypt(plain: Uint8Array): Buffer
  decrypt(sealed: Uint8Array): Buffer
}

/** The responder side of Noise XX, as on the real server. */
export function createHandshake(wire: Wire, identity: ServerIdentity, forged: boolean): Handshake {
  const { Curve, proto } = wire
  const ephemeral = Curve.generateKeyPair()
  let hash: Buffer = PROTOCOL
  let salt: Buffer = PROTOCOL
  let key: Buffer = PROTOCOL
  let counter = 0

  const mixHash = (data: Uint8Array): void => {
    hash = createHash('sha256').update(hash).update(data).digest()
  }
  const derive = (secret: Uint8Array): [Buffer, Buffer] => {
    const out = Buffer.from(wire.hkdf(Buffer.from(secret), 64, { salt, info: '' }))
    return [out.subarray(0, 32), out.subarray(32)]
  }
  const mixKey = (secret: Uint8Array): void => {
    ;[salt, key] = derive(secret)
    counter = 0
  }
  const encrypt = (plain: Uint8Array): Buffer => {
    const sealed = seal(key, counter++, plain, hash)
    mixHash(sealed)
    return sealed
  }
  const decrypt = (sealed: Uint8Array): Buffer => {
    const plain = open(key, counter++, sealed, hash)
    mixHash(sealed)
    return plain
  }

  return {
    hello(bytes) {
      const { clientHello } = proto.HandshakeMessage.decode(bytes)
      if (!clientHello?.ephemeral) throw new Error('no ephemeral key in the client hello')
      mixHash(INTRO)
      mixHash(clientHello.ephemeral)
      mixHash(ephemeral.public)
      mixKey(Curve.sharedKey(ephemeral.private, clientHello.ephemeral))
      const fixed = encrypt(identity.keys.public)
      mixKey(Curve.sharedKey(identity.keys.private, clientHello.ephemeral))
      const payload = encrypt(identity.chain(forged))
      const serverHello = { ephemeral: ephemeral.public, static: fixed, payload }
      return proto.HandshakeMessage.encode({ serverHello }).finish()
    },
    finish(bytes) {
      const { clientFinish } = proto.HandshakeMessage.decode(bytes)
      if (!clientFinish?.static || !clientFinish.payload) throw new Error('the client finish is incomplete')
      const clientKey = decrypt(clientFinish.static)
      mixKey(Curve.sharedKey(ephemeral.private, clientKey))
      const payload = decrypt(clientFinish.payload)
      const [incoming, outgoing] = derive(new Uint8Array(0))
      return { clientKey, payload, transport: createTransport(incoming, outgoing) }
    },
  }
}

function createTransport(incoming: Buffer, outgoing: Buffer): Transport {
  const none = Buffer.alloc(0)
  let received = 0
  let sent = 0
  return {
    encrypt: (plain) => seal(outgoing, sent++, plain, none),
    decrypt: (sealed) => open(incoming, received++, sealed, none),
  }
}

function nonce(counter: number): Buffer {
  const iv = Buffer.alloc(12)
  iv.writeUInt32BE(counter, 8)
  return iv
}

function seal(key: Buffer, counter: number, plain: Uint8Array, aad: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce(counter)).setAAD(aad)
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

function open(key: Buffer, counter: number, sealed: Uint8Array, aad: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce(counter)).setAAD(aad)
  decipher.setAuthTag(sealed.subarray(-16))
  return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
}
