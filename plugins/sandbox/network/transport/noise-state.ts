import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import type { GatewayServices } from 'wamux/plugin'

/** The SymmetricState of a Noise handshake: its hash, chaining key and cipher. */
export interface SymmetricState {
  mixHash(data: Uint8Array): void
  mixKey(secret: Uint8Array): void
  encrypt(plain: Uint8Array): Buffer
  /** Throws if authentication fails. */
  decrypt(sealed: Uint8Array): Buffer
  /** Undefined if authentication fails. */
  tryDecrypt(sealed: Uint8Array): Buffer | undefined
  /** The transport of one side. */
  split(side: 'responder' | 'initiator'): NoiseTransport
}

export interface NoiseTransport {
  encrypt(plain: Uint8Array): Buffer
  decrypt(sealed: Uint8Array): Buffer
}

const HASH_BYTES = 32

/** @param protocol name of the protocol, which is hashed if it is longer than a hash. */
export function createSymmetricState(wire: GatewayServices['wire'], protocol: Buffer): SymmetricState {
  let hash: Buffer = protocol.length <= HASH_BYTES ? protocol : createHash('sha256').update(protocol).digest()
  let salt: Buffer = hash
  let key: Buffer = hash
  let counter = 0

  const mixHash = (data: Uint8Array): void => {
    hash = createHash('sha256').update(hash).update(data).digest()
  }
  const derive = (secret: Uint8Array): [Buffer, Buffer] => {
    const out = Buffer.from(wire.hkdf(Buffer.from(secret), 64, { salt, info: '' }))
    return [out.subarray(0, 32), out.subarray(32)]
  }
  const decrypt = (sealed: Uint8Array): Buffer => {
    const plain = open(key, counter++, sealed, hash)
    mixHash(sealed)
    return plain
  }

  return {
    mixHash,
    mixKey(secret) {
      ;[salt, key] = derive(secret)
      counter = 0
    },
    encrypt(plain) {
      const sealed = seal(key, counter++, plain, hash)
      mixHash(sealed)
      return sealed
    },
    decrypt,
    tryDecrypt(sealed) {
      try {
        return decrypt(sealed)
      } catch {
        return undefined
      }
    },
    split(side) {
      const [fromInitiator, fromResponder] = derive(new Uint8Array(0))
      return side === 'responder'
        ? createTransport(fromInitiator, fromResponder)
        : createTransport(fromResponder, fromInitiator)
    },
  }
}

function createTransport(incoming: Buffer, outgoing: Buffer): NoiseTransport {
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
  const decipher = createDecipheriv('aes-256-gcm', key, nonce(counter), { authTagLength: 16 }).setAAD(aad)
  decipher.setAuthTag(sealed.subarray(-16))
  return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
}
