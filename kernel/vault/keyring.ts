import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { gatewayError } from '../errors.ts'
import { decrypt, encrypt } from './cipher.ts'
import type { Keyring } from './vault.ts'

const KEY_BYTES = 32

/**
 * Reads `k2:<base64 of 32 bytes>,k1:<…>`, active key first. Throws CONFIG_INVALID.
 */
export function openKeyring(text: string): Keyring {
  const keys = new Map<string, KeyObject>()
  for (const part of text.split(',').map((one) => one.trim())) {
    const [, kid = '', base64 = ''] = /^([\w-]{1,32}):([A-Za-z0-9+/_-]+=*)$/.exec(part) ?? []
    const key = Buffer.from(base64, 'base64')
    if (!kid || key.length !== KEY_BYTES)
      throw gatewayError('CONFIG_INVALID', ['keys: each must be <id>:<base64 of 32 bytes>, active one first'])
    if (keys.has(kid)) throw gatewayError('CONFIG_INVALID', [`keys: the id "${kid}" is used twice`])
    keys.set(kid, createSecretKey(key))
  }
  const [[active, first]] = [...keys] as [[string, KeyObject]]
  const indexKey = createSecretKey(
    Buffer.from(hkdfSync('sha256', first, Buffer.alloc(0), 'wamux token index', KEY_BYTES)),
  )
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
