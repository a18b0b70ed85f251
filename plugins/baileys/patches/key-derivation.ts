import { createRequire } from 'node:module'
import { hkdf } from 'whatsapp-rust-bridge'

type Derive = (input: Buffer, salt: Buffer, info: Buffer, chunks?: number) => Buffer[]

const libsignal = createRequire(import.meta.url)('libsignal/src/crypto.js') as { deriveSecrets: Derive }
const CHUNK_BYTES = 32
/** What libsignal derives: WASM takes the purpose as text. */
const PURPOSES = ['WhisperMessageKeys', 'WhisperRatchet', 'WhisperText']
const patched = new WeakSet<object>()

/**
 * Derives Signal's keys by WASM: libsignal's HKDF-SHA256 (src/crypto.js) is four HMACs for each device of a message, and takes
 * three times as long. It is compared with libsignal's own before it is used.
 */
export function patchKeyDerivation(): void {
  libsignal.deriveSecrets = deriving(libsignal.deriveSecrets)
}

/** What WASM does not take, libsignal still derives or refuses itself. */
export function deriving(original: Derive): Derive {
  const derive: Derive = (input, salt, info, chunks = 3) => {
    const purpose = Buffer.isBuffer(info) ? info.toString('latin1') : ''
    const isKnown = PURPOSES.includes(purpose) && Buffer.isBuffer(input) && salt.length === CHUNK_BYTES
    if (!isKnown || chunks < 1 || chunks > 3) return original(input, salt, info, chunks)
    const derived = Buffer.from(hkdf(input, chunks * CHUNK_BYTES, { salt, info: purpose }))
    return Array.from({ length: chunks }, (_, i) => derived.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES))
  }
  const isSame = PURPOSES.every((purpose) => {
    const given = [Buffer.alloc(CHUNK_BYTES, 1), Buffer.alloc(CHUNK_BYTES, 2), Buffer.from(purpose)] as const
    return Buffer.concat(original(...given)).equals(Buffer.concat(derive(...given)))
  })
  const used = isSame ? derive : original
  patched.add(used)
  return used
}

export function verifyKeyDerivation(): boolean {
  return patched.has(libsignal.deriveSecrets)
}
