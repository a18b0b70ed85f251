import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Received } from '../protocol/received.ts'

/** What becomes of a ciphertext. */
export interface DecryptionListener {
  /** A message was decrypted, and is queued to be stored. Called once for each ciphertext, in order. */
  onDecrypted(hash: string, received: Received): void
  /** A ciphertext can't be decrypted; nothing of it is kept. */
  onFailed(stanza: BinaryNode, ciphertext: Uint8Array, error: unknown): void
}

export interface DecryptionReports extends DecryptionListener {
  /** To be called before the link receives anything: the socket needs its Signal repository before what logs can be made. */
  listen(listener: DecryptionListener): void
}

/** Passes the reports of a Signal repository on to the one listener that is made after it. */
export function createDecryptionReports(): DecryptionReports {
  let listener: DecryptionListener | undefined
  return {
    onDecrypted: (...decrypted) => listener?.onDecrypted(...decrypted),
    onFailed: (...failed) => listener?.onFailed(...failed),
    listen(added) {
      listener = added
    },
  }
}
