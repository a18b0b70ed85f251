import type { BinaryNode } from '@whiskeysockets/baileys'
import { getBinaryNodeChild, jidDecode } from '../baileys.ts'

/**
 * Whether a notification says that the phone of `from` has another identity key: it was set up anew, or the number has a new
 * owner (whatsapp-rust src/handlers/notification/device.rs, zapo client/events/identity.ts). Those of companions say nothing.
 */
export function isIdentityChange(stanza: BinaryNode): boolean {
  const { type, from } = stanza.attrs
  return (
    type === 'encrypt' && !jidDecode(from)?.device && getBinaryNodeChild(stanza, 'identity') !== undefined
  )
}
