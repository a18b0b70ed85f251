import type { BinaryNode } from '@whiskeysockets/baileys'
import { Jid } from 'wamux/messaging'
import { envelopeOf, isPeer, type Me } from '../protocol/signals.ts'
import type { UndecryptableSignal } from '../sdk.ts'

const CONTENT = new Set(['enc', 'plaintext'])

/** The signal for a ciphertext that can't be decrypted; undefined while another part may still hold the message. */
export function failedOf(
  stanza: BinaryNode,
  ciphertext: Uint8Array,
  reason: string,
  me: Me,
): UndecryptableSignal | undefined {
  const parts = contentsOf(stanza)
  const part = parts.find(({ content }) => content === ciphertext)
  // Earlier parts carry the sender key: if they fail, the last part fails too, or does not need them.
  if (!part || part !== parts.at(-1)) return undefined
  return signalOf(stanza, me, { reason, unavailable: undefined, onFailure: onFailureOf(parts) })
}

/** Any of the ciphertexts may say it for all of them (whatsapp-rust message_processing.rs). */
function onFailureOf(parts: readonly BinaryNode[]): string {
  const all = parts.map(({ attrs }) => attrs['decrypt-fail'] ?? '')
  return all.find((one) => one === 'hide') ?? all.at(-1) ?? ''
}

/**
 * The signal for a stanza without content for this device; undefined for any other stanza. Baileys emits a stub message for
 * most types (Socket/messages-recv.js handleMessage), and nothing for some, for example view once.
 */
export function absentOf(stanza: BinaryNode, me: Me): UndecryptableSignal | undefined {
  // Newsletters send counts of reactions and views as messages without content.
  if (contentsOf(stanza).length > 0 || Jid.isNewsletter(stanza.attrs['from'])) return undefined
  const children = Array.isArray(stanza.content) ? stanza.content : []
  const { type = '', hosted = '' } = children.find(({ tag }) => tag === 'unavailable')?.attrs ?? {}
  return signalOf(stanza, me, {
    reason: 'the network has no content for this device',
    unavailable: type || (IS_TRUE.test(hosted) ? HOSTED : ''),
    onFailure: '',
  })
}

/** The type of what the network keeps from companions of a hosted account, which it marks by an attribute (whatsapp-rust, zapo). */
const HOSTED = 'hosted_unavailable_fanout'
const IS_TRUE = /^(true|1)$/
/** What is for the phone alone: its user sees it there (zapo 1.7.0, Socket/messages-recv.js handleMessage). */
const PHONE_ONLY =
  /^(view_once|view_once_unavailable_fanout|bot_unavailable_fanout|hosted_unavailable_fanout)$/

/** Whether the phone may be asked for a message that has no content for this device. */
export function isResendable({ unavailable = '' }: UndecryptableSignal): boolean {
  return !PHONE_ONLY.test(unavailable)
}

/** undefined for what own devices say to each other, and from an unknown type of sender. */
export function signalOf(
  stanza: BinaryNode,
  me: Me,
  details: Pick<UndecryptableSignal, 'reason' | 'unavailable' | 'onFailure'>,
): UndecryptableSignal | undefined {
  if (isPeer(stanza)) return undefined
  try {
    return { message: envelopeOf(stanza, me), attrs: stanza.attrs, ...details }
  } catch {
    // An unknown type of sender: Baileys refuses the stanza itself.
    return undefined
  }
}

function contentsOf({ content }: BinaryNode): BinaryNode[] {
  return Array.isArray(content) ? content.filter(({ tag }) => CONTENT.has(tag)) : []
}
