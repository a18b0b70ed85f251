import type { BinaryNode } from '@whiskeysockets/baileys'

/** A decrypted message, with its stanza. */
export interface Received {
  stanza: BinaryNode
  plain: Buffer
}
