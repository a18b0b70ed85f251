import type { BinaryNode } from '@whiskeysockets/baileys'
import { children } from 'wamux/messaging'
import type { Me } from '../protocol/signals.ts'
import type { UndecryptableSignal } from '../sdk.ts'
import { signalOf } from './undecryptable.ts'

/** Ciphertexts of a stanza that nothing here opens. */
export interface UnknownCiphertexts {
  readonly types: readonly string[]
  /** The stanza has no other content. */
  readonly isAll: boolean
}

const SIGNAL_TYPES: readonly (string | undefined)[] = ['pkmsg', 'msg', 'skmsg']
/** Encrypted under the secret of another message; only bots answer so. */
export const BY_SECRET = 'msmsg'
/** The error code for it in an ack, if it can't be decrypted (Utils/decode-wa-message.js NACK_REASONS, whatsmeow). */
export const MISSING_SECRET = 495

/**
 * Removes the ciphertexts of unknown types from a stanza that has others: Baileys would take the whole message for undecryptable, even
 * if the others could be read, or drop it because of an `msmsg` (Utils/decode-wa-message.js, Socket/messages-recv.js handleMessage).
 * Other clients read the rest (whatsapp-rust src/message/receive.rs, whatsmeow message.go).
 */
export function dropUnknown(stanza: BinaryNode): UnknownCiphertexts | undefined {
  const content = children(stanza)
  const unknown = content.filter((node) => node.tag === 'enc' && !isKnown(node))
  if (unknown.length === 0) return undefined
  const rest = content.filter((node) => !unknown.includes(node))
  const isAll = !rest.some(({ tag }) => tag === 'enc' || tag === 'plaintext')
  if (!isAll) stanza.content = rest
  return { types: unknown.map(({ attrs }) => attrs['type'] ?? ''), isAll }
}

function isKnown(node: BinaryNode): boolean {
  return isSignal(node) && node.content instanceof Uint8Array
}

/** Whether it is a ciphertext of the Signal protocol. */
export function isSignal({ attrs }: BinaryNode): boolean {
  return SIGNAL_TYPES.includes(attrs['type'])
}

/** The signal for a stanza with nothing else; undefined for one of an own device about the account. */
export function unreadableOf(
  stanza: BinaryNode,
  { types }: UnknownCiphertexts,
  me: Me,
): UndecryptableSignal | undefined {
  // Apps show nothing of a type that they do not know.
  const [reason, onFailure] = types.includes(BY_SECRET)
    ? ['it is encrypted under the secret of another message, and not by a bot', '']
    : [`the type of its encryption is unknown: ${types.join(', ')}`, 'hide']
  return signalOf(stanza, me, { reason, unavailable: undefined, onFailure })
}

/** The error in its ack; undefined for none: unknown types are acknowledged like what was read. */
export function ackErrorOf({ types }: UnknownCiphertexts): number | undefined {
  return types.includes(BY_SECRET) ? MISSING_SECRET : undefined
}
