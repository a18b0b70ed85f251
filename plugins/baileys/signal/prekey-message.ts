import { PreKeyWhisperMessage } from '../baileys.ts'

const VERSION = 3
const KEY_BYTES = 33

/** The sender's identity key in a prekey message (`pkmsg`); undefined if it can't be read. */
export function identityOf(ciphertext: Uint8Array): Uint8Array | undefined {
  if (((ciphertext[0] ?? 0) & 0xf) !== VERSION) return undefined
  try {
    const { identityKey } = PreKeyWhisperMessage.decode(ciphertext.subarray(1))
    return identityKey?.length === KEY_BYTES ? Uint8Array.from(identityKey) : undefined
  } catch {
    return undefined
  }
}
