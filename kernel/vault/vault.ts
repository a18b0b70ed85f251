import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { gatewayError } from '../errors.ts'
import type { Vault } from '../types/storage.ts'
import { decrypt, encrypt } from './cipher.ts'

/** A key of a session, encrypted under a master key. */
export interface WrappedKey {
  /** Id of that master key. */
  kid: string
  wrapped: Buffer
}

/** Master keys: the first one wraps, all of them unwrap. A new key goes in front of the old ones. */
export interface Keyring {
  /** Id of the key that wraps. */
  readonly active: string
  wrap(key: Buffer, bound: string): WrappedKey
  /** Throws if the key is unknown or `bound` differs. */
  unwrap(key: WrappedKey, bound: string): Buffer
  /** Hex HMAC-SHA256 of a secret under the active key: an index that does not reveal the secret. */
  mac(secret: string): string
}

/** One key for each session: without it, no stored data of the session can be read. */
export interface SessionVault extends Vault {
  /** Creates a key for a session. */
  create(session: string): WrappedKey
  /**
   * Unwraps a stored key for use.
   *
   * @returns the key rewrapped, if its master key is no longer active.
   */
  restore(session: string, key: WrappedKey): WrappedKey | undefined
  forget(session: string): void
  mac(secret: string): string
  /** As `index`, of a value that is not asked for again, and so is not remembered. */
  uniqueIndex(session: string, place: string, value: string): string
}

export function createVault(keyring: Keyring): SessionVault {
  const keys = new Map<string, Keys>()
  /** The same few chats are looked up with each message. */
  const indexes = new LRUCache<string, string>({ max: MAX_INDEXES })
  const keysOf = (session: string): Keys => {
    const found = keys.get(session)
    if (!found) throw gatewayError('SESSION_UNKNOWN')
    return found
  }
  const macOf = (session: string, text: string): string =>
    createHmac('sha256', keysOf(session).index).update(text).digest('base64url').slice(0, INDEX_LENGTH)
  return {
    mac: keyring.mac,
    create(session) {
      const key = randomBytes(32)
      const wrapped = keyring.wrap(key, session)
      keys.set(session, keysFrom(key))
      return wrapped
    },
    restore(session, wrapped) {
      const key = keyring.unwrap(wrapped, session)
      const rewrapped = wrapped.kid === keyring.active ? undefined : keyring.wrap(key, session)
      keys.set(session, keysFrom(key))
      return rewrapped
    },
    forget(session) {
      keys.delete(session)
      indexes.clear()
    },
    seal: (session, place, plain) =>
      session
        ? encrypt(keysOf(session).seal, `${session} ${place}`, Buffer.from(plain))
        : pack(keyring.wrap(Buffer.from(plain), ` ${place}`)),
    open: (session, place, sealed) =>
      session
        ? decrypt(keysOf(session).seal, `${session} ${place}`, sealed)
        : keyring.unwrap(unpack(sealed), ` ${place}`),
    index(session, place, value) {
      const text = textOf(place, value)
      const name = `${session} ${text}`
      const known = indexes.get(name)
      if (known !== undefined) return known
      const made = macOf(session, text)
      if (name.length <= MAX_INDEXED) indexes.set(name, made)
      return made
    },
    uniqueIndex: (session, place, value) => macOf(session, textOf(place, value)),
  }
}

/** The first NUL ends the place: no two pairs of place and value result in the same text. */
function textOf(place: string, value: string): string {
  return `${place}\0${value}`
}

/** A master key's id has at most 32 characters. */
function pack({ kid, wrapped }: WrappedKey): Buffer {
  return Buffer.concat([Buffer.from(kid.padEnd(32)), wrapped])
}

function unpack(sealed: Buffer): WrappedKey {
  return { kid: sealed.toString('latin1', 0, 32).trimEnd(), wrapped: sealed.subarray(32) }
}

/** 132 bits: two values of a session never have the same index in practice. */
const INDEX_LENGTH = 22

/** Indexes kept in memory, and the most characters of what they stand for. */
const MAX_INDEXES = 4_000
const MAX_INDEXED = 200

/** One key per purpose. */
interface Keys {
  readonly seal: KeyObject
  readonly index: KeyObject
}

/** Takes over the raw key, and clears it. */
function keysFrom(raw: Buffer): Keys {
  const index = Buffer.from(hkdfSync('sha256', raw, Buffer.alloc(0), 'wamux index', 32))
  const made = { seal: createSecretKey(raw), index: createSecretKey(index) }
  raw.fill(0)
  index.fill(0)
  return made
}
