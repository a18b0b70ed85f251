import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomFillSync } from 'node:crypto'
import { gatewayError } from '../errors.ts'

/** A key of a session, encrypted under a master key. */
export interface WrappedKey {
  /** Id of that master key. */
  kid: string
  wrapped: Buffer
}

/** Master keys: the first one wraps, all of them unwrap, so that a new key is put in front of the old ones. */
export interface Keyring {
  /** Id of the key that wraps. */
  readonly active: string
  wrap(key: Buffer, bound: string): WrappedKey
  /** Throws when the key is unknown or `bound` is another. */
  unwrap(key: WrappedKey, bound: string): Buffer
  /** Hex HMAC-SHA256 of a secret under the active key: an index that does not reveal the secret. */
  mac(secret: string): string
}

const KEY_BYTES = 32

/**
 * Reads `k2:<base64 of 32 bytes>,k1:<…>`, active key first. Throws CONFIG_INVALID.
 */
export function openKeyring(text: string): Keyring {
  const keys = new Map<string, Buffer>()
  for (const part of text.split(',').map((one) => one.trim())) {
    const [, kid = '', base64 = ''] = /^([\w-]{1,32}):([A-Za-z0-9+/_-]+=*)$/.exec(part) ?? []
    const key = Buffer.from(base64, 'base64')
    if (!kid || key.length !== KEY_BYTES)
      throw gatewayError('CONFIG_INVALID', ['keys: each must be <id>:<base64 of 32 bytes>, active one first'])
    if (keys.has(kid)) throw gatewayError('CONFIG_INVALID', [`keys: the id "${kid}" is used twice`])
    keys.set(kid, key)
  }
  const [[active, first] = ['', Buffer.alloc(0)]] = keys
  const indexKey = Buffer.from(hkdfSync('sha256', first, Buffer.alloc(0), 'wamux token index', KEY_BYTES))
  return {
    active,
    wrap: (key, bound) => ({ kid: active, wrapped: encrypt(first, bound, key) }),
    unwrap({ kid, wrapped }, bound) {
      const key = keys.get(kid)
      if (!key)
        throw gatewayError('CONFIG_INVALID', [
          `keys: "${kid}" is missing, and stored data is still encrypted under it`,
        ])
      return decrypt(key, bound, wrapped)
    },
    mac: (secret) => createHmac('sha256', indexKey).update(secret).digest('hex'),
  }
}

const VERSION = 1
const IV_BYTES = 12
const TAG_BYTES = 16

/** version ‖ iv ‖ tag ‖ AES-256-GCM ciphertext; decrypting requires the same `bound`. */
export function encrypt(key: Buffer, bound: string, plain: Buffer): Buffer {
  const iv = nextIv()
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(bound))
  const sealed = [cipher.update(plain), cipher.final()]
  return Buffer.concat([Buffer.from([VERSION]), iv, cipher.getAuthTag(), ...sealed])
}

/** Throws when `sealed` was changed, or was encrypted with another `bound`. */
export function decrypt(key: Buffer, bound: string, sealed: Buffer): Buffer {
  if (sealed[0] !== VERSION) throw new Error('not sealed by this version')
  const tagAt = 1 + IV_BYTES
  const textAt = tagAt + TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, tagAt))
  decipher.setAAD(Buffer.from(bound)).setAuthTag(sealed.subarray(tagAt, textAt))
  return Buffer.concat([decipher.update(sealed.subarray(textAt)), decipher.final()])
}

/** Each is used once. They are drawn many at a time: one call for twelve bytes costs as much as a short encryption. */
const ivs = Buffer.alloc(IV_BYTES * 512)
let used = ivs.length

function nextIv(): Buffer {
  if (used === ivs.length) {
    randomFillSync(ivs)
    used = 0
  }
  used += IV_BYTES
  return ivs.subarray(used - IV_BYTES, used)
}
