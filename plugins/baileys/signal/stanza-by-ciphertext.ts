import type { BinaryNode } from '@whiskeysockets/baileys'

/** Finds the stanza of a ciphertext: the Signal repository gets only the ciphertext, which is the stanza's own buffer. */
export interface StanzasByCiphertext {
  remember(stanza: BinaryNode): void
  of(ciphertext: Uint8Array): BinaryNode | undefined
}

export function createStanzasByCiphertext(): StanzasByCiphertext {
  const stanzas = new WeakMap<Uint8Array, BinaryNode>()
  return {
    remember(stanza) {
      for (const { content } of Array.isArray(stanza.content) ? stanza.content : []) {
        if (content instanceof Uint8Array) stanzas.set(content, stanza)
      }
    },
    of: (ciphertext) => stanzas.get(ciphertext),
  }
}
