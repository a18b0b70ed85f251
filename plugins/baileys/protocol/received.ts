import type { BinaryNode } from '@whiskeysockets/baileys'

/** A message that was decrypted, with the stanza that brought it. */
export interface Received {
  stanza: BinaryNode
  plain: Buffer
}
