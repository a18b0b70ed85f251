import { createCipheriv, createDecipheriv, timingSafeEqual } from 'node:crypto'
import type { GatewayServices } from 'wamux/plugin'
import { type Chain, mac, newChain, seedOf, skipTo } from './chain.ts'

type Wire = GatewayServices['wire']

export interface KeyPair {
  readonly private: Uint8Array
  /** 33 bytes, with the type byte. */
  readonly public: Buffer
}

/** A session of Signal's double ratchet with one device. */
export interface RatchetSession {
  /** Our identity key and theirs, 33 bytes each: both are part of each MAC. */
  readonly identity: Buffer
  readonly remoteIdentity: Buffer
  /** The base key of the message that opened it, 33 bytes. */
  readonly baseKey: Buffer
  root: Buffer
  pair: KeyPair
  sending: Chain | undefined
  /** Number of messages on the previous sending chain. */
  previousCounter: number
  /** By the sender's ratchet key, newest last. */
  readonly receiving: Map<string, Chain>
  /** The other side's prekeys that opened the session, until an answer shows that it has the session. */
  pending: { readonly preKeyId: number | undefined; readonly signedPreKeyId: number } | undefined
}

export const VERSION = 0x33
const MAC_BYTES = 8
/** Signal's limit; older ones are closed chains. */
const MAX_RECEIVING = 5

/** Encrypts a message and advances the sending chain by one step. */
export function seal(wire: Wire, session: RatchetSession, plain: Uint8Array): Buffer {
  if (!session.sending) throw new Error('the session has no sending chain')
  const counter = session.sending.next
  const { seed, rest } = seedOf(session.sending, counter)
  const { key, macKey, iv } = keysOf(wire, seed)
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  const message = wire.proto.SignalMessage.encode({
    ratchetKey: session.pair.public,
    counter,
    previousCounter: session.previousCounter,
    ciphertext: Buffer.concat([cipher.update(plain), cipher.final()]),
  }).finish()
  const body = Buffer.concat([Buffer.of(VERSION), message])
  const tag = mac(macKey, Buffer.concat([session.identity, session.remoteIdentity, body]))
  session.sending = rest
  return Buffer.concat([body, tag.subarray(0, MAC_BYTES)])
}

/** Decrypts a message. Throws, leaving the session unchanged, if it is not of this session or was already read. */
export function open(wire: Wire, session: RatchetSession, sealed: Buffer): Buffer {
  const body = sealed.subarray(0, -MAC_BYTES)
  assertVersion(body)
  const { ratchetKey, counter, previousCounter, ciphertext } = wire.proto.SignalMessage.decode(
    body.subarray(1),
  )
  const remote = Buffer.from(ratchetKey ?? [])
  const name = remote.toString('latin1')
  const known = session.receiving.get(name)
  const stepped = known ? undefined : step(wire, session.root, session.pair.private, remote)
  const { seed, rest } = seedOf(known ?? newChain((stepped as Step).chainKey), counter ?? 0)
  const { key, macKey, iv } = keysOf(wire, seed)
  const tag = mac(macKey, Buffer.concat([session.remoteIdentity, session.identity, body])).subarray(
    0,
    MAC_BYTES,
  )
  if (!timingSafeEqual(tag, sealed.subarray(-MAC_BYTES))) throw new Error('wrong MAC')
  const decipher = createDecipheriv('aes-256-cbc', key, iv)
  const plain = Buffer.concat([decipher.update(ciphertext ?? Buffer.alloc(0)), decipher.final()])
  if (stepped) turn(wire, session, remote, stepped.root, previousCounter ?? 0)
  session.receiving.set(name, rest)
  for (const oldest of session.receiving.keys()) {
    if (session.receiving.size <= MAX_RECEIVING) break
    session.receiving.delete(oldest)
  }
  session.pending = undefined
  return plain
}

/** Gives the session a new ratchet key, and a sending chain for the other side's ratchet key. */
export function beginSending(wire: Wire, session: RatchetSession, remote: Buffer): void {
  session.pair = newPair(wire)
  const { root, chainKey } = step(wire, session.root, session.pair.private, remote)
  session.root = root
  session.sending = newChain(chainKey)
}

export function newPair(wire: Wire): KeyPair {
  const pair = wire.Curve.generateKeyPair()
  return { private: pair.private, public: Buffer.from(wire.generateSignalPubKey(pair.public)) }
}

export function assertVersion(message: Buffer): void {
  const version = message[0] ?? 0
  if (version >> 4 < 3 || (version & 0xf) > 3) throw new Error('unknown version of a message')
}

/** The other side has a new ratchet key: closes its last chain and begins a new sending chain. */
function turn(
  wire: Wire,
  session: RatchetSession,
  remote: Buffer,
  root: Buffer,
  previousCounter: number,
): void {
  const [name, last] = [...session.receiving].at(-1) ?? []
  if (name !== undefined && last?.key)
    session.receiving.set(name, { ...skipTo(last, previousCounter + 1), key: undefined })
  session.root = root
  session.previousCounter = Math.max((session.sending?.next ?? 0) - 1, 0)
  beginSending(wire, session, remote)
}

interface Step {
  root: Buffer
  chainKey: Buffer
}

function step(wire: Wire, root: Buffer, key: Uint8Array, remote: Buffer): Step {
  const shared = wire.Curve.sharedKey(key, remote)
  const derived = Buffer.from(wire.hkdf(shared, 64, { salt: root, info: 'WhisperRatchet' }))
  return { root: derived.subarray(0, 32), chainKey: derived.subarray(32) }
}

function keysOf(wire: Wire, seed: Buffer): { key: Buffer; macKey: Buffer; iv: Buffer } {
  const derived = Buffer.from(wire.hkdf(seed, 80, { info: 'WhisperMessageKeys' }))
  return { key: derived.subarray(0, 32), macKey: derived.subarray(32, 64), iv: derived.subarray(64) }
}
