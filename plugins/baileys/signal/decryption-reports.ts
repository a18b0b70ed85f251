import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Received } from '../protocol/received.ts'

/** Receives the result of each decryption. */
export interface DecryptionListener {
  /** A message was decrypted, now or earlier, and its write is queued. Called for each received ciphertext, in order. */
  onDecrypted(hash: string, received: Received): void
  /** A ciphertext can't be decrypted; nothing of it is stored. */
  onFailed(stanza: BinaryNode, ciphertext: Uint8Array, error: unknown): void
}

export interface DecryptionReports extends DecryptionListener {
  /** Call it before the link receives anything: the socket needs its Signal repository before the journal can be created. */
  listen(listener: DecryptionListener): void
}

/** Forwards the reports of a Signal repository to one listener, which is created later. */
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
