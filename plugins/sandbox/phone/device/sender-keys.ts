import { createCipheriv, createDecipheriv, randomBytes, randomInt } from 'node:crypto'
import type { GatewayServices } from 'wamux/plugin'
import { noSnapshots, type Slot } from '../../snapshots.ts'
import { type Chain, newChain, seedOf } from './chain.ts'
import { newPair, VERSION } from './ratchet.ts'

type Wire = GatewayServices['wire']

/** The sender keys of one device: its own per group, and those that members shared with it. */
export interface SenderKeys {
  /** The message, and the key for members that do not have it yet. */
  encrypt(group: string, plain: Uint8Array): { ciphertext: Buffer; distribution: Buffer }
  /** Throws if the author has not shared its key, or if the message is forged or was already decrypted. */
  decrypt(group: string, author: string, ciphertext: Buffer): Buffer
  /** Stores a key shared by its author. */
  accept(group: string, author: string, distribution: Uint8Array): void
}

interface SenderKey {
  readonly id: number
  chain: Chain
  /** 33 bytes. */
  readonly verifyingKey: Buffer
}

const SIGNATURE_BYTES = 64
/** Signal's limit. */
const MAX_KEYS = 5

/** The key that signed a message. All members get the same buffer, so the first of them checks the signature for all. */
const signers = new WeakMap<Buffer, Buffer>()

export function createSenderKeys(wire: Wire, slot: Slot = noSnapshots.slot): SenderKeys {
  const { SenderKeyMessage, SenderKeyDistributionMessage } = wire.proto
  const own = slot('own sender keys', () => new Map<string, SenderKey & { signingKey: Uint8Array }>())
  /** By group and author, oldest first. */
  const shared = slot('sender keys', () => new Map<string, SenderKey[]>())

  function isSigned(ciphertext: Buffer, key: Buffer): boolean {
    if (signers.get(ciphertext)?.equals(key)) return true
    const at = ciphertext.length - SIGNATURE_BYTES
    if (!wire.isSigned(key, ciphertext.subarray(0, at), ciphertext.subarray(at))) return false
    signers.set(ciphertext, key)
    return true
  }

  /** Initialization vector and key of the message with this seed. */
  function keysOf(seed: Buffer): { iv: Buffer; key: Buffer } {
    const derived = Buffer.from(wire.hkdf(seed, 48, { info: 'WhisperGroup' }))
    return { iv: derived.subarray(0, 16), key: derived.subarray(16) }
  }

  return {
    encrypt(group, plain) {
      const sender = own.get(group) ?? newSenderKey(wire)
      own.set(group, sender)
      const { id, chain, verifyingKey: signingKey } = sender
      const { next: iteration, key: chainKey = Buffer.alloc(0) } = chain
      const shown = SenderKeyDistributionMessage.encode({ id, iteration, chainKey, signingKey }).finish()
      const { seed, rest } = seedOf(chain, iteration)
      const { iv, key } = keysOf(seed)
      const cipher = createCipheriv('aes-256-cbc', key, iv)
      const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()])
      const message = versioned(SenderKeyMessage.encode({ id, iteration, ciphertext }).finish())
      sender.chain = rest
      const signature = wire.Curve.sign(sender.signingKey, message)
      return { ciphertext: Buffer.concat([message, signature]), distribution: versioned(shown) }
    },
    decrypt(group, author, sealed) {
      const message = SenderKeyMessage.decode(sealed.subarray(1, -SIGNATURE_BYTES))
      const { id, iteration, ciphertext } = message
      const sender = shared.get(`${group} ${author}`)?.find((one) => one.id === id)
      if (!sender) throw new Error('no sender key of the author')
      if (!isSigned(sealed, sender.verifyingKey)) throw new Error('wrong signature of a group message')
      const { seed, rest } = seedOf(sender.chain, iteration ?? 0)
      const { iv, key } = keysOf(seed)
      const decipher = createDecipheriv('aes-256-cbc', key, iv)
      const plain = Buffer.concat([decipher.update(ciphertext ?? Buffer.alloc(0)), decipher.final()])
      sender.chain = rest
      return plain
    },
    accept(group, author, distribution) {
      const message = SenderKeyDistributionMessage.decode(distribution.subarray(1))
      const { id, iteration, chainKey, signingKey } = message
      const name = `${group} ${author}`
      const known = shared.get(name) ?? []
      // The same key shared again: its chain has already advanced.
      if (known.some((sender) => sender.id === id)) return
      const sender = {
        id: id ?? 0,
        chain: newChain(Buffer.from(chainKey ?? []), iteration ?? 0),
        verifyingKey: Buffer.from(wire.generateSignalPubKey(signingKey ?? new Uint8Array())),
      }
      shared.set(name, [...known, sender].slice(-MAX_KEYS))
    },
  }
}

function newSenderKey(wire: Wire): SenderKey & { signingKey: Uint8Array } {
  const { public: verifyingKey, private: signingKey } = newPair(wire)
  return { id: randomInt(2 ** 31 - 1), chain: newChain(randomBytes(32)), verifyingKey, signingKey }
}

function versioned(message: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(VERSION), message])
}
