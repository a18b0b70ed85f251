import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto'

const VERSION = 1
const IV_BYTES = 12
const TAG_BYTES = 16

/** version ‖ iv ‖ tag ‖ AES-256-GCM ciphertext; decrypting requires the same `bound`. */
export function encrypt(key: KeyObject, bound: string, plain: Buffer): Buffer {
  const iv = nextIv()
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(bound))
  const sealed = [cipher.update(plain), cipher.final()]
  return Buffer.concat([Buffer.from([VERSION]), iv, cipher.getAuthTag(), ...sealed])
}

/** Throws if `sealed` was changed or encrypted with another `bound`. */
export function decrypt(key: KeyObject, bound: string, sealed: Buffer): Buffer {
  if (sealed[0] !== VERSION) throw new Error('not sealed by this version')
  const tagAt = 1 + IV_BYTES
  const textAt = tagAt + TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, tagAt), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(Buffer.from(bound)).setAuthTag(sealed.subarray(tagAt, textAt))
  return Buffer.concat([decipher.update(sealed.subarray(textAt)), decipher.final()])
}

/** Each IV is used once. They are drawn in bulk: one call for twelve bytes costs as much as a short encryption. */
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
