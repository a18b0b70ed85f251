import type { BinaryNode } from '@whiskeysockets/baileys'
import { envelopeOf, isPeer, type Me } from '../protocol/signals.ts'
import type { UndecryptableSignal } from '../sdk.ts'

const CONTENT = new Set(['enc', 'plaintext'])

/** What it means that `ciphertext` of a stanza can't be decrypted; undefined where the message itself may still be. */
export function failedOf(
  stanza: BinaryNode,
  ciphertext: Uint8Array,
  reason: string,
  me: Me,
): UndecryptableSignal | undefined {
  const parts = contentsOf(stanza)
  const part = parts.find(({ content }) => content === ciphertext)
  // What stands before the last part is the sender's key: without it the last one fails too, or needs it no more.
  if (!part || part !== parts.at(-1)) return undefined
  return signalOf(stanza, me, { reason, unavailable: undefined, onFailure: part.attrs['decrypt-fail'] ?? '' })
}

/**
 * What it means that a stanza has no content for this device; undefined for any other. Baileys makes a stub of it
 * for most types (Socket/messages-recv.js handleMessage), for the rest, view once among them, nothing.
 */
export function absentOf(stanza: BinaryNode, me: Me): UndecryptableSignal | undefined {
  // Newsletters bring counts of reactions and views as messages without any.
  if (contentsOf(stanza).length > 0 || stanza.attrs['from']?.endsWith('@newsletter')) return undefined
  const children = Array.isArray(stanza.content) ? stanza.content : []
  const type = children.find(({ tag }) => tag === 'unavailable')?.attrs['type'] ?? ''
  return signalOf(stanza, me, {
    reason: 'the network has no content for this device',
    unavailable: type,
    onFailure: '',
  })
}

function signalOf(
  stanza: BinaryNode,
  me: Me,
  what: Pick<UndecryptableSignal, 'reason' | 'unavailable' | 'onFailure'>,
): UndecryptableSignal | undefined {
  if (isPeer(stanza)) return undefined
  try {
    return { message: envelopeOf(stanza, me), attrs: stanza.attrs, ...what }
  } catch {
    // From nobody that Baileys knows: it refuses the stanza by itself.
    return undefined
  }
}

function contentsOf({ content }: BinaryNode): BinaryNode[] {
  return Array.isArray(content) ? content.filter(({ tag }) => CONTENT.has(tag)) : []
}
