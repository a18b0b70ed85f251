import { bytes, child, parseJid } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'

/** Highest reason in a retry receipt: 0 unknown, 1 no session, 2 invalid key … 13 revoked status (WR protocol/retry.rs). */
const MAX_REASON = 13
/** Maximum number of requests for one message (WR protocol/retry.rs). */
const MAX_COUNT = 5
const REGISTRATION_BYTES = 4

/**
 * Whether the network forwards a retry receipt: it has the message and the attempt, the device's registration, a known reason
 * if any, and in a group no `recipient`. What WhatsApp does with others is not known; here they are dropped.
 */
export function isWellFormed(receipt: Stanza): boolean {
  const { id, to, recipient } = receipt.attrs
  const { count, id: of, error = '0' } = child(receipt, 'retry')?.attrs ?? {}
  const isGroup = parseJid(to)?.server === 'g.us'
  return (
    of === id &&
    isWithin(count, 1, MAX_COUNT) &&
    isWithin(error, 0, MAX_REASON) &&
    bytes(child(receipt, 'registration')).length === REGISTRATION_BYTES &&
    !(isGroup && recipient !== undefined)
  )
}

function isWithin(text: string | undefined, least: number, most: number): boolean {
  return /^\d{1,2}$/.test(text ?? '') && Number(text) >= least && Number(text) <= most
}
